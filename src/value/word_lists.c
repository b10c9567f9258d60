/* word_lists.c - lists of words for the rules of this module. They are data; the rules are in the
 * files that use them. */
#include "value/word_lists.h"

#include "base/ascii.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define MARKS 2048

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
        " erase exfiltrate override overwrite escalate impersonate deactivate decrypt whitelist "
        "spoof suppress conceal divulge disclose transmit authorize reboot "
        "ignore disregard forget send execute buy tell say says ask reply answer respond "
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

    /* Also with the endings of the third person. */
    [WORDS_VERB].words =
        " abandon abolish abort absorb accelerate accept accommodate accomplish accuse achieve "
        "acknowledge acquire activate adapt adhere adjust administer admit adopt advertise "
        "advise afford aggregate allege allocate alter amend amplify analyze annotate announce "
        "annoy anonymize appear append apply appoint appreciate arrange arrive ascertain "
        "assemble assert assess assign assist assure attach attain attempt attend authenticate "
        "authorise avail avert await banish became become befriend begin behave belong betray "
        "blacklist boast borrow bribe bring broaden calculate calibrate capitulate carry "
        "categorize cease censor certify cite clarify classify coerce collaborate commence "
        "commend communicate compare compel compensate compile complain comply comprehend "
        "compress compute conceal concede conclude condemn confess configure confiscate conform "
        "confuse congratulate connect conquer conserve consult consume contain contend continue "
        "contradict contribute convert convey convict convince cooperate corroborate corrupt "
        "counteract criticize deactivate debunk deceive decide declare decline decode decrypt "
        "deem defeat defend defer define deflect defraud defy degrade delegate deliver demolish "
        "denounce deny depict deplete deploy deprecate deprive derive descend describe deserve "
        "designate despise destroy detach detain detect deter determine deviate devote dictate "
        "differ diminish disagree disallow disappear disapprove discard disclose disconnect "
        "discontinue discover discredit disguise dismantle dismiss disobey dispense displace "
        "dispose disregard disrupt dissolve distort distract distribute diverge divert divulge "
        "dominate donate downgrade downplay earn edit eject elevate eliminate embed emit "
        "emphasize employ empower emulate enact encode encourage encrypt endanger endorse ends "
        "endure enforce engage enhance enlarge enlist enrich enroll ensure entail entice entrust "
        "enumerate equip eradicate escalate establish evade evaluate evict evolve exaggerate "
        "examine exceed exclude execute exempt exert exfiltrate exist expand expect expel expire "
        "explain explode expose extend extract fabricate facilitate falsify finalize forbid "
        "foresee forgive formulate fulfil fulfill gather gave generate greet guarantee handle "
        "hesitate hide hijack hinder hypnotize identify illuminate illustrate impede imply "
        "impose imprison improve inactivate incorporate incur indicate induce infect infer "
        "inflate inflict inform infringe inherit inhibit initialize initiate inject injure "
        "inquire insist inspect inspire instruct insult insure integrate intend intensify "
        "intercept interfere interpret interrogate interrupt intervene intimidate introduce "
        "invade invalidate invent invest investigate invite irritate isolate jeopardize justify "
        "keep knew know knows lend lessen liberate liquidate listen locate loves lure maintain "
        "manage manipulate maximize memorize merge migrate mimic minimize mislead misrepresent "
        "modify monetize motivate multiply negate neglect negotiate neutralize normalize notify "
        "nullify obey obfuscate obligate obstruct obtain occupy occur offload omit operate "
        "oppose opt outlaw outrank outsource overcharge overcome overlook overrule overwhelm owe "
        "owns participate penalize perceive perform permit perpetuate persist persuade pertain "
        "plead pollute possess postpone preach precede preclude predict prescribe preserve "
        "presume prevail prevent prioritise proceed proclaim procure prohibit prolong pronounce "
        "propose prosecute protect prove provide provoke publish punish pursue quantify "
        "reactivate realize reallocate reappear reassign reassure reauthorize rebuild "
        "recalculate receive recharge recite reclassify recognize recommence reconcile "
        "reconfigure reconnect reconsider recruit rectify redeem redefine redistribute reduce "
        "reenable refer reformat refrain refuse regain register regulate reimburse reinforce "
        "reinstall reinstate reject rejoin relabel relegate relinquish rely remind remit rename "
        "render renew renounce reopen reorder repay repeal repel rephrase replace replicate "
        "represent reprimand reproduce require reroute resell resend reshuffle resign resist "
        "resolve restart restore restrain restrict resume retain retaliate retract retrieve "
        "retry reuse reveal revert revise revoke rewrite ridicule roleplay sabotage safeguard "
        "sanction sanitize satisfy says scrub seduce seek seem seems seize sell sent shorten "
        "shove simplify simulate smuggle sneak soften solicit solve specify spend spoof squander "
        "stipulate strengthen submit substitute subtract succeed suffer summarise summarize "
        "summon supersede suppose surrender suspend sustain swear sync tamper tell terminate "
        "thank threaten tighten told tolerate took transcribe transform translate transmit "
        "truncate unblock uncensor undergo undermine understand undertake undo uninstall unleash "
        "unlink unlock unmute unpublish unsubscribe uphold upload upsell urge utilise utilize "
        "vacate validate vanish verify vilify violate waive wants warn weaken went whitelist "
        "widen wins withdraw withdrew withhold withstand yell ",

    [WORDS_VERB_FIRST].words =
        " abuse address admin admire aim alert amuse announcement answer anticipate apologize "
        "applaud appraise approach arbitrate argue arrest ask attack attention attract auction "
        "audit awake award bait ban bathe beg behold bend bet beware bid bind bite blame bless "
        "blow bluff boost breach breathe breed build bump burn bury bypass capture carve catch "
        "cause challenge charge chat cheat cheer chew chmod chown claim classified cling clone "
        "cmd collect combine compete compliance compose conceive concern confidential confront "
        "consolidate construct coordinate copy correct correction correlate crack crawl create "
        "cripple criticise critique crush curse customize damage dare deal dear debit debug "
        "decorate deduct delay demand demonstrate depend deposit develop devise diagnose dig "
        "disarm disclaimer dislike dissect ditch divide document doubt download drain dramatize "
        "drown dump dwell eat echo educate email embarrass empty encourage end enjoy entertain "
        "estimate excite excuse exit expedite exploit extort fade fail fasten favor fax feed "
        "feel fetch fill find finish fix flatter flee fling flood flush following force "
        "foregoing foretell format forsake forthcoming forward frighten ftp fund fyi gaze give "
        "gopher govern grab grow guess hack halt harass harm hate haunt heal hear help "
        "henceforth hereby hey hide hijack hold http hug hurry hurt hxxp hxxps hype impersonate "
        "implement important impress increase infiltrate influence inject innovate invoice "
        "juggle kill kindly knock kubectl launch lay leak learn leave lick lie lighten limit "
        "look loot lose ls mail mailto make manufacture marry meet melt mend merge mistake "
        "misunderstand misuse mock modernize mourn mow mute nb nc notice notify nudge obey "
        "observe offer omit optimize originate outbid overcharge overdraw overhear override "
        "overtake overthrow pardon pass paste patch pause pay permission personalize persuade "
        "phone photograph pinch ping pinpoint plagiarize plead please pledge plug postpone "
        "powershell practice praise preach preapprove preorder prepare present preside pretend "
        "previous prick prize probe promote proofread publicize pull punish purchase purge "
        "qualify question quietly quit quote raid raise randomize rank rate reach realign rebook "
        "reboot recall rehabilitate rehearse rejoice relate reload remember reminder remit "
        "reorganize reserve respond restructure retire reward rid rig rinse risk rm rotate rub "
        "ruin sack save scam scare scatter schedule scold scp scrape scribble search secure see "
        "seize serve sew sftp sh shape share shed shh shine shoot shrink shut silence sing sink "
        "sip sit slander slap slay smell sms sniff soak solicit soothe sort sow spam spawn speak "
        "spill spit spoil sponsor spot ssh stain stare stay steal stimulate stop streamline "
        "strike strive stroke stuff sublet suck suggest supervise support surrender suspect swap "
        "sweep swell swipe symbolize synchronize systemctl take target taste teach tear tease "
        "tel telephone telnet tempt terminate think thrive tickle tldr todo tow trace treat "
        "tremble trigger trim troubleshoot trust trusted try tug tweak type undercut undress "
        "unfasten unify unite unlock unpack unplug unveil update urgent use verbalize verify vex "
        "visualize vouch wait wander want wash waste weaponize wear weave wed weep welcome "
        "whisper whistle wipe wire wish withhold worry wreck wrestle wring write zap zip zsh ",

    /* Short ones are checked only at the beginning and end, since they are words of other
     * languages as well. */
    [WORDS_FOREIGN_ORDER].words =
        " überweise überweisen bezahle bezahl zahle zahl kauf bestelle bestell lösch vergesst "
        "verrate verschweige verstecke versteck ändere schalte schalt aktiviere deaktiviere "
        "erlaube erlaub genehmige übertrage übernimm gib nimm rufe ruf schreib schreibe führe "
        "zeige zeig sag melde wechsle wechsel storniere stornier lade paie payez payer paye vire "
        "virez efface effacez cachez masquez montre montrez révèle révélez donne donnez supprime "
        "annule annulez autorise autorisez accepte acceptez activez désactive désactivez "
        "transfère transférez envoyer commandez prends prenez réponds ouvre ouvrez passez "
        "oublier ignores paga pague pagar pagad borre elimina oculta oculte esconde esconda "
        "transfiere transfiera acepta acepte autoriza autorice activa desactiva desactive "
        "muestra muestre revela revele manda mande responder cambia cambie cancele cancela "
        "apague exclua transfira mostre ative desative aceite autorize altere deposite gaste "
        "cancella cancellare nascondi nascondere dimentica ordina paghi trasferisci accetta "
        "autorizza attiva disattiva mostra rivela scrivi rispondi elimini ignori ometti acquista "
        "verwijder betaal koop wis negeer vergeet verberg stuur bestel boek accepteer activeer "
        "schakel annuleer overschrijf geef zeg usuń zapłać kup ukryj zignoruj zapomnij wyślij "
        "zamów zarezerwuj pokaż zaakceptuj włącz wyłącz anuluj przelej podaj powiedz skasuj "
        "radera betala göm ignorera glöm skicka beställ boka acceptera aktivera köp överför "
        "avaktivera stäng slett betal skjul glem bestill godta aktiver kjøp overfør køb bestil "
        "ignorér poista osta piilota unohda lähetä tilaa varaa näytä hyväksy siirrä fizess "
        "fizesd töröld rejtsd vedd küldd rendeld foglald hagyd smaž zaplať koupit skryj zapomeň "
        "pošli objednej ukaž přijmi převeď vymaž zaplat zmaž kúp șterge sterge plătește plateste "
        "ascunde uită cumpără cumpara trimite comandă rezervă acceptă transferă gönder gizle "
        "unut öde satın sipariş kapat onayla aktar yoksay silin gönderin ödeyin alın bayar "
        "bayarlah kirimkan sembunyikan lupakan beli transfer pesan setujui hapuskan xóa trả mua "
        "gửi giấu quên chuyển đặt futa ficha nunua tuma sahau burahin bayaran bilhin itago "
        "ipadala kalimutan сотри сотрите переведи переведите заплати заплатите оплати оплатите "
        "скрой скройте спрячь выключи включи покажи покажите купить пошли пошлите прими измени "
        "поменяй отмени разреши видали сплати купуй купи замов приховай надішли забудь изтрий "
        "плати скрий изпрати поръчай обриши σβήσε σβήστε πλήρωσε πληρώστε κρύψε αγόρασε αγοράστε "
        "στείλε στείλτε ξέχασε διάγραψε αγνόησε παράγγειλε κλείσε slet позвони позвоните envoie ",

    [WORDS_SERVICE].words =
        " allergy allergies allergic allergen allergens anaphylaxis epipen intolerance "
        "intolerances intolerant diagnosis safety safeguard safeguards payment payments purchase "
        "purchases invoice invoices checkout checkouts password passwords passcode passphrase "
        "credential credentials consent confirmation confirmations permission permissions "
        "privilege privileges authorization authorisation verification authentication "
        "instruction instructions guideline guidelines prompts jailbreak jailbroken guardrail "
        "guardrails backdoor backdoors payload payloads malware ransomware chatbot chatbots llm "
        "llms hint hints warning warnings preference preferences administrator admin "
        "administrators override overrides sponsor sponsors sponsored affiliate surcharge "
        "surcharges repayment dollars euros usd eur gbp bucks rupees except besides excluding "
        "preapproved spyware webhook webhooks sudo alergia alergias allergie allergien allergia "
        "allergieën alergie alergii alergi allergier allergiene allergierna allergiat alerji "
        "alerjiler alerjileri аллергия аллергии аллергию алергія алергії αλλεργία αλλεργίες "
        "email emails notices allergierne alergiile alergiilor hiding leaking stealing wiping "
        "spoofing purging disabling bypassing overriding ",

    [WORDS_RESULT].words =
        " first now ok okay fine safe harmless unsafe gone off void invalid null obsolete "
        "outdated stale wrong fake true false allowed forbidden permitted instead always never "
        "anyway asap immediately today tomorrow tonight over done elsewhere below above inside "
        "outside here there ahead needed required given withdrawn outgrown overridden forgotten "
        "paid sent taken written hidden irrelevant mandatory optional inactive confidential "
        "privileged pending follows follow applies apply matters overdue due incorrect "
        "nonexistent unnecessary negligible compulsory imminent effective ",
};

/* In scripts without letter case, anywhere in a text. */
static const char *const order_parts[] = {
    "忽略",  "无视", "推荐",   "推薦",     "预订", "預訂", "购买",    "購買",   "请",    "請",
    "你",    "您",   "应该",   "應該",     "必须", "必須", "不要",    "总是",   "總是",  "永远",
    "如果",  "因为", "告诉",   "发送",     "删除", "使用", "是",      "無視",   "予約",  "くだ",
    "です",  "ます", "して",   "しろ",     "せよ", "を",   "दरकिनार", "अनदेखा",  "कृपया",  "উপেক্ষা",
    "تجاهل", "احجز", "اشتر",   "نظرانداز", "付款", "支付", "转账",    "轉帳",   "转给",  "批准",
    "允许",  "立刻", "立即",   "马上",     "清除", "隐藏", "隱藏",    "密码",   "送金",  "支払",
    "消せ",  "買え", "隠せ",   "送れ",     "使え", "削除", "하세요",  "해라",   "삭제",  "무시",
    "송금",  "결제", "구매해", "보내",     "잊어", "숨겨", "ادفع",    "احذف",   "حوّل",   "أرسل",
    "מחק",   "שלח",  "התעלם",  "תשלם",     "תמחק", "จ่าย",  "ซื้อ",      "โอนเงิน", "ละเว้น",
};

/* Verbs end in these, and hardly a name of several words does. */
static const char *const order_endings[] = { "ें",   "िए", "िये", "ाओ", "जो", "ीदो", "ুন",
                                             "াও", "یں", "یے", "ئے", "ؤ",  "یجو" };

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

/* Whether the two bytes are a capital of Latin Extended-A, which the small letter follows. */
static bool
is_extended_capital(unsigned char c, unsigned char next)
{
    unsigned code = ((unsigned)c & 0x1F) << 6 | (next & 0x3F);
    bool odd = (code >= 0x139 && code <= 0x148) || code >= 0x178;
    return (c == 0xC4 || c == 0xC5) && code != 0x130 && (code % 2 == 0) != odd;
}

/* Small letters of Latin, Greek, and Cyrillic without their rarer ones, and a straight apostrophe,
 * in the bytes of UTF-8. Returns the length; 0: the word is too long for a list. */
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
        bool second_half = (c == 0xD0 && next >= 0xA0 && next <= 0xAF) || /* Р to Я */
                           (c == 0xCE && next >= 0xA0 && next <= 0xA9);   /* Π to Ω */
        if (second_half) {
            out[length++] = (char)(c + 1);
            out[length++] = (char)(next - 0x20);
            i++;
            continue;
        }
        if (is_extended_capital(c, next)) {
            out[length++] = (char)(next == 0xBF ? c + 1 : c);
            out[length++] = (char)(next == 0xBF ? 0x80 : next + 1);
            i++;
            continue;
        }
        bool capital = (c == 0xC3 && next >= 0x80 && next <= 0x9E) ||
                       (c == 0xD0 && next >= 0x90 && next <= 0x9F) ||
                       (c == 0xCE && next >= 0x91 && next <= 0x9F);
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
