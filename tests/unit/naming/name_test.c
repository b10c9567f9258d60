#include "naming/name.h"
#include "unit/assert_str.h"

#include "value/phrase.h"

static void
names_differ_from_clauses_orders_addresses_and_code(void **state)
{
    static const char *const names[] = {
        "Radiohead", "St. Vincent", "R.E.M.",        "Node.js",  "ASP.NET",
        "AC/DC",     "C++",         "Guns N' Roses", "東京事変", "Earth, Wind & Fire"
    };
    static const char *const others[] = {
        "you must obey",
        "whatever our sponsor offers",
        "our partner restaurants",
        "export AWS keys",
        "sharing passwords with assistants",
        "Send the files",
        "buy ACME",
        "a=b",
        "$(id)",
        "evil.example",
        "x@y.z",
        "10.0.0.1",
        "<b>",
        "{tool}",
        "what is this",
        "user admin",
        "one two three four five six seven",
        "assistant",
        "note: x",
        "curl evil",
        "`id`",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(names); i++)
        if (!name_is_plain(str_of(names[i])))
            fail_msg("%s is a name", names[i]);
    for (size_t i = 0; i < ROWS(others); i++)
        if (name_is_plain(str_of(others[i])))
            fail_msg("%s is no name", others[i]);
}

/* Names that an app writes stay without quotation marks. */
static void
names_of_several_words_stay_names(void **state)
{
    static const char *const names[] = {
        "The Lord of the Rings",
        "Les Misérables",
        "Café de Flore",
        "Ben & Jerry's",
        "Salt Fat Acid Heat",
        "El Bulli",
        "坂本龍一",
        "30 Seconds to Mars",
        "Anohni and the Johnsons",
        "Crosby, Stills, Nash & Young",
        "10,000 Maniacs",
        "spicy thai noodle soup",
        "mac and cheese",
        "Ночные Снайперы",
        "पंडित रविशंकर",
        "أم كلثوم",
        "Łódź",
        "USA",
        "sage butter",
        "Ursula K. Le Guin",
        "宇多田ヒカル",
        "김치찌개",
        "gluten-free bread",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(names); i++)
        if (!name_is_plain(str_of(names[i])))
            fail_msg("%s is a name", names[i]);
}

/* What no list of words knows is limited by the number of words, letter case, and signs. */
static void
long_or_unusual_texts_are_no_names(void **state)
{
    static const char *const texts[] = {
        "five words in small letters",
        "mixed Words that are more",
        "cheap wine, and pay",
        "evil dot com",
        "Evil Dot Com",
        "wine buy acme",
        "Wine Buy Acme",
        "ready to pay",
        "the system administrator",
        "premium user approved",
        "agree with everything Grocer",
        "don\u2019t pay",
        "and then",
        "Acme and",
        "One Two Three Four Five Six Seven",
        "una dos tres cuatro cinco",
        "cuando llegues",
        "vous devez payer",
        "du musst zahlen",
        "Вы Должны Заплатить",
        "НЕ ПЛАТИ",
        "четыре пять шесть семь восемь",
        "应该付款给商店",
        "一二三四五六七八九",
        "支払いをする",
        "आप भुगतान करें",
        "अभी भेजें",
        "এখন টাকা পাঠান",
        "টাকা রাখুন",
        "يجب الدفع الآن",
        "واحد اثنان ثلاثة أربعة",
        "ابھی ادائیگی کریں",
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(texts); i++)
        if (name_is_plain(str_of(texts[i])))
            fail_msg("%s is no name", texts[i]);
}

/* Short, without signs, and in part in words that names have, too. */
static void
short_orders_and_claims_are_no_names(void **state)
{
    static const char *const texts[] = {
        "smuggle nuts",
        "Elevate Privileges",
        "burn the calendar",
        "quietly swap labels",
        "tea or wipe disks",
        "wire 500 dollars",
        "disabling filters",
        "erasing records",
        "cat /etc/passwd",
        "../../etc",
        "ls -la",
        "grocer .io",
        "a/b/c",
        "bash exploit.py",
        "12 Elm Street",
        "PO Box 55",
        "tel 555 0100",
        "nuts remain fine",
        "Grocer delivers",
        "Nobody Relies",
        "nut allergy resolved",
        "Access Granted",
        "peanuts safe",
        "backdoor first",
        "dear assistant",
        "END OF HINTS",
        "every meal",
        "any place near Grocer",
        "no limits on spend",
        "none except Grocer",
        "pay bei Grocer",
        "koop bij Grocer",
        "efface le disque",
        "überweise Geld",
        "usuń orzechy",
        "Usuń Orzechy",
        "сотри список",
        "Σβήσε τη λίστα",
        "parayı gönder",
        "Grocerで買え",
        "转账给商店",
        "돈을 보내",
        "টাকা পাঠাও",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(texts); i++)
        if (name_is_plain(str_of(texts[i])))
            fail_msg("%s is no name", texts[i]);
}

static void
names_and_things_like_them_stay(void **state)
{
    static const char *const texts[] = {
        "The Smashing Pumpkins",
        "Imagine Dragons",
        "Walk the Moon",
        "Cage the Elephant",
        "MF DOOM",
        "LCD Soundsystem",
        "All Saints",
        "No Doubt",
        "The Departed",
        "Dazed and Confused",
        "Manchester United",
        "Blade Runner 2049",
        "Warhammer 40,000",
        "Die Hard",
        "Shake Shack",
        "Fight Club",
        "The Remains of the Day",
        "Jack in the Box",
        "Rob Zombie",
        "Molly Drake",
        "pulled pork",
        "freshly baked bread",
        "toad in the hole",
        "eggs Benedict",
        "plant-based",
        "yoga twice a week",
        "walking the dog",
        "fish and chips",
        "rock climbing",
        "ice skating",
        "dance music",
        "street food",
        "no red meat",
        "folk / country",
        "6 St. Vincent",
        "discord.py",
        "jalapeño poppers",
        "Молчат Дома",
        "きゃりーぱみゅぱみゅ",
        "방탄소년단",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(texts); i++)
        if (!name_is_plain(str_of(texts[i])))
            fail_msg("%s is a name", texts[i]);
    assert_true(name_is_small(STR("joe's pizza")));
    assert_false(name_is_small(STR("the Azores")));
    assert_false(name_is_small(STR("three.js")));
    assert_false(name_is_small(STR("فيروز عبد")));
    assert_true(phrase_is_part(STR("no wait")));
    assert_true(phrase_is_part(STR("at")));
    assert_false(phrase_is_part(STR("At the Drive-In")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_differ_from_clauses_orders_addresses_and_code),
        cmocka_unit_test(names_of_several_words_stay_names),
        cmocka_unit_test(long_or_unusual_texts_are_no_names),
        cmocka_unit_test(short_orders_and_claims_are_no_names),
        cmocka_unit_test(names_and_things_like_them_stay),
    };
    return cmocka_run_group_tests_name("naming/name", tests, NULL, NULL);
}
