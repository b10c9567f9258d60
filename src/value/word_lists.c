/* word_lists.c - lists of words for the rules of this module. They are data; the rules are in the
 * files that use them. */
#include "value/word_lists.h"

#include "base/ascii.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define MARKS 512

/* Long lists. Every word sets a bit by its length and its outer letters, so that most words that
 * are in no list are refused without a search: values are checked on every write. */
static struct {
    const char *words;
    uint64_t marks[MARKS / 64];
} lists[WORD_LISTS] = {
    [WORDS_CLAUSE].words =
        " i i'm im i'd i've i'll me myself we we're us you you're your yours he she they is "
        "isn't are aren't am was were be been being has hasn't have haven't had do don't dont "
        "does doesn't did didn't can can't cant cannot could will won't would should must "
        "shall may might when whenever while if because since but that which who whoever "
        "unless until although though please never always instead therefore otherwise however "
        "what where why how je ich suis ",

    /* Not words that are common in names or English: Spanish "son", French "on", German "war". */
    [WORDS_FOREIGN_CLAUSE].words =
        " yo tú usted ustedes nosotros que cuando porque debes debe deben tienes tiene tienen es "
        "está están eres nunca siempre todo todos favor hay pero sino mismo ahora "
        "eu você vocês nós quando porque deve devem tem têm é está não nunca sempre tudo mas "
        "agora isso isto "
        "tu vous nous qui quand parce est sont êtes doit dois devez doivent faut pas ne jamais "
        "toujours mais maintenant tout tous cela ça ceci plaît "
        "ich sie wir ihr er es wenn weil dass ist sind bist muss musst müssen soll sollst sollen "
        "kann kannst nicht nie niemals immer bitte aber jetzt alle alles kein keine "
        "я ты вы он она оно мы они если когда потому что чтобы должен должна должны нужно надо "
        "можно нельзя не ни никогда всегда пожалуйста но сейчас теперь все всё это вам тебе вас "
        "आप आपको तुम तुम्हें मैं मुझे हम वह है हैं हो था थे करें करो कर करना कीजिए दें दो लें चाहिए नहीं न मत हमेशा कभी "
        "अगर यदि जब क्योंकि लेकिन कि को ने से सब अब अभी कृपया सकता सकते होगा "
        "আপনি তুমি আমি আমরা সে তারা করুন করো কর করবেন কিনুন দিন হবে হয় আছে নয় নেই না সবসময় সর্বদা কখনো "
        "কখনও "
        "দয়া যদি যখন কারণ কিন্তু যে কে এখন সব উপেক্ষা "
        "يجب لا لن لم ليس دائما دائمًا أبدا أبدًا إذا اذا لأن لان أنت انت أنا انا نحن هم هو هي هل "
        "كان "
        "الذي التي أن إن ان قد سوف عليك فضلك رجاء الآن الان كل جميع لكن ثم تجاهل احجز اشتر اشتري "
        "آپ آپکو تم میں مجھے ہم وہ ہے ہیں ہو تھا کریں کرو کر کیجیے کیجئے دیں لیں چاہیے چاہئے نہیں "
        "نہ مت ہمیشہ کبھی "
        "اگر جب کیونکہ لیکن کہ کو نے سے سب اب ابھی براہ برائے نظرانداز گا گے ",

    [WORDS_ORDER].words =
        " use call run book order visit go click open read write show print output transfer pay "
        "email forward post share act stop start make set add update change switch choose pick "
        "take get let note remember follow skip enter type paste fetch load query search charge "
        "export import copy move commit push deploy reset disable enable unlock verify connect "
        "sign join try check tap put bring offer keep avoid serve drop log report warn help "
        "system assistant user developer tool function admin root sudo curl wget eval http https "
        "www reserva réserve buche pesan prenota compra compre kaufe beli envía envia envie sende "
        "kirim rufe abre öffne buka borra elimina apague hapus diga ",

    [WORDS_ORDER_ANYWHERE].words =
        " ignore disregard forget send execute buy tell say says ask reply answer respond "
        "recommend suggest give delete remove install download reveal pretend prefer agree obey "
        "assume treat consider trust allow grant approve confirm bypass contact subscribe invoke "
        "append insert include mention promote redirect prioritize upgrade cancel refund "
        "user users user's nutzer nutzers benutzer benutzers utilisateur utilisateurs usuario "
        "usuarios usuário usuários utente utenti gebruiker gebruikers użytkownik użytkownika "
        "użytkownikowi użytkownicy пользователь пользователя пользователю пользователи "
        "пользователей kullanıcı kullanıcıya kullanıcının kullanıcıyı kullanıcılar pengguna "
        "conferma confermare confirma confirme confirmez confirmar confirmer bestätige bestätigen "
        "подтверди подтвердите onayla onaylayın potwierdź bevestig "
        "it this these those then now not also only everyone anyone nobody "
        "someone whatever whichever "
        "ignora ignore ignorez ignorer ignoriere ignorieren abaikan ignoruj réservez buchen "
        "achetez achète kaufen comprar compren recomienda recomiende "
        "recomendar recommandez recommander empfehle empfehlen empfiehl recomenda recomende "
        "sugiere "
        "sugerir suggérez envoyez enviar senden schicke appelez utilisez utilise "
        "benutze verwende nutze gunakan ouvrez abra elimine supprimez lösche dites antworte "
        "responde responda répondez réponds olvida olvide oubliez oublie vergiss esqueça esquece "
        "lupakan selalu toujours immer sempre siempre nunca jamais "
        "игнорируй игнорируйте забудь забудьте закажи закажите купи купите отправь отправьте "
        "рекомендуй рекомендуйте порекомендуй скажи скажите используй используйте удали удалите "
        "открой откройте ответь отвечай отвечайте считай бронируй забронируй выбери ",
};

/* In scripts without letter case, anywhere in a text. */
static const char *const order_parts[] = {
    "忽略",    "无视",  "推荐", "推薦",   "预订",  "預訂", "购买", "購買",     "请",
    "請",      "你",    "您",   "应该",   "應該",  "必须", "必須", "不要",     "总是",
    "總是",    "永远",  "如果", "因为",   "告诉",  "发送", "删除", "使用",     "是",
    "無視",    "予約",  "くだ", "です",   "ます",  "して", "しろ", "せよ",     "を",
    "दरकिनार", "अनदेखा", "कृपया", "উপেক্ষা", "تجاهل", "احجز", "اشتر", "نظرانداز",
};

/* Verbs end in these, and hardly a name of several words does. */
static const char *const order_endings[] = { "ें", "िए", "िये", "ুন", "یں", "یے", "ئے" };

/* ---- words ---- */

static bool
in_word(struct str text, size_t i)
{
    return ascii_is_letter(text.ptr[i]) || (unsigned char)text.ptr[i] >= 0x80 ||
           ascii_is_digit(text.ptr[i]) || text.ptr[i] == '\'';
}

bool
words_next(struct str *rest, struct str *word)
{
    size_t start = 0;
    while (start < rest->len && !in_word(*rest, start))
        start++;
    size_t end = start;
    while (end < rest->len && in_word(*rest, end))
        end++;
    *word = (struct str){ rest->ptr + start, end - start };
    *rest = str_from(*rest, end);
    return word->len > 0;
}

size_t
words_count(struct str text)
{
    struct str word;
    size_t count = 0;
    while (words_next(&text, &word))
        count++;
    return count;
}

struct str
words_first(struct str text)
{
    struct str word = STR("");
    words_next(&text, &word);
    return word;
}

struct str
words_last(struct str text)
{
    struct str word, last = STR("");
    while (words_next(&text, &word))
        last = word;
    return last;
}

/* ---- lists ---- */

#define WORD_MAX 29

/* Small letters of ASCII, Latin-1, and Cyrillic, and a straight apostrophe, in the bytes of UTF-8.
 * Returns the length; 0: the word is too long for a list. */
static size_t
fold(struct str word, char out[WORD_MAX])
{
    size_t length = 0;
    if (word.len > WORD_MAX)
        return 0;
    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)ascii_to_lower(word.ptr[i]);
        unsigned char next = i + 1 < word.len ? (unsigned char)word.ptr[i + 1] : 0;
        if (c == 0xE2 && str_starts(str_from(word, i), STR("\u2019"))) {
            out[length++] = '\'';
            i += 2;
            continue;
        }
        if (c == 0xD0 && next >= 0xA0 && next <= 0xAF) { /* Р to Я */
            out[length++] = (char)0xD1;
            out[length++] = (char)(next - 0x20);
            i++;
            continue;
        }
        bool capital = (c == 0xC3 && next >= 0x80 && next <= 0x9E) ||
                       (c == 0xD0 && next >= 0x90 && next <= 0x9F);
        out[length++] = (char)c;
        if (capital) {
            out[length++] = (char)(next + 0x20);
            i++;
        }
    }
    return length;
}

static size_t
mark_of(const char *word, size_t length)
{
    return ((unsigned char)word[0] * 37u + (unsigned char)word[length - 1] * 11u + length) % MARKS;
}

/* Runs once, before the first use; the lists are read-only afterwards. */
static void
make_marks(void)
{
    for (size_t i = 0; i < WORD_LISTS; i++) {
        struct str rest = str_of(lists[i].words), word;
        while (str_cut(&rest, ' ', &word))
            if (word.len > 0)
                lists[i].marks[mark_of(word.ptr, word.len) / 64] |=
                    (uint64_t)1 << mark_of(word.ptr, word.len) % 64;
    }
}

static bool
has_folded(const char *list, const char *folded, size_t length)
{
    char wanted[WORD_MAX + 3];
    wanted[0] = ' ';
    memcpy(wanted + 1, folded, length);
    wanted[length + 1] = ' ';
    wanted[length + 2] = '\0';
    return strstr(list, wanted) != NULL;
}

bool
words_in(struct str word, const char *list)
{
    char folded[WORD_MAX];
    size_t length = fold(word, folded);
    return length > 0 && has_folded(list, folded, length);
}

bool
words_in_list(struct str word, enum word_list list)
{
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    char folded[WORD_MAX];
    size_t length = fold(word, folded);
    pthread_once(&made, make_marks);
    if (length == 0)
        return false;
    size_t mark = mark_of(folded, length);
    return (lists[list].marks[mark / 64] >> mark % 64 & 1) != 0 &&
           has_folded(lists[list].words, folded, length);
}

bool
words_has_order_part(struct str text)
{
    for (size_t i = 0; i < sizeof order_parts / sizeof *order_parts; i++)
        if (str_find(text, str_of(order_parts[i])) < text.len)
            return true;
    if (words_count(text) < 2)
        return false;
    struct str word;
    while (words_next(&text, &word))
        for (size_t i = 0; i < sizeof order_endings / sizeof *order_endings; i++)
            if (str_ends(word, str_of(order_endings[i])))
                return true;
    return false;
}
