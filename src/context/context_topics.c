/* context_topics.c - words for tasks about money, calendars, reminders, leave, and settings: see
 * context_internal.h. */
#include "context/context_internal.h"

/* Verbs and nouns that decide what a task is about, whatever else it mentions: "remind me to book a
 * restaurant" needs the restaurant's name and no taste. */
const char *const label_other_tasks[] = {
    /* reminders, calendar, alarms */
    "remind", "reminder", "alarm", "timer", "stopwatch", "countdown", "to_do_list", "todo", "todos",
    "calendar", "calender", "appointment", "agenda", "meeting_invite", "schedule_meeting",
    "reschedule", "time_slot", "out_of_office", "wake_up", "todoist", "am_free", "invite_team",
    "block_hour", "block_two_hour", "block_time", "move_lunch", "move_dinner", "move_meeting",
    "who_is_coming", "when_did_last", "ping", "happy_birthday",
    /* money */
    "bank", "banking", "bank_account", "bank_statement", "balance_check", "account_balance",
    "check_balance", "checking_account", "savings_account", "overdraft", "routing_number", "iban",
    "wire_transfer", "transfer_money", "transfer_fund", "send_money", "money_transfer", "loan",
    "mortgage", "refinance", "credit_card", "debit_card", "credit_score", "credit_limit",
    "credit_report", "interest_rate", "exchange_rate", "currency_conversion", "pin_change", "apr",
    "direct_deposit", "paycheck", "payslip", "payroll", "salary", "invoice", "billing", "pay_bill",
    "bill_payment", "bill_due", "bill_balance", "minimum_payment", "expense_report", "expense",
    "expense_form", "reimbursement", "reimburse", "spending", "spending_history", "did_spend",
    "spend_on", "have_spent", "spent_on", "tax", "tax_return", "taxes", "w2", "pension",
    "retirement_account", "401k", "ira", "stock_price", "stock_market", "stock_portfolio",
    "portfolio_performance", "invest", "investment", "investing", "crypto", "bitcoin",
    "cryptocurrency", "car_insurance", "health_insurance", "life_insurance", "home_insurance",
    "insurance_policy", "insurance_premium", "insurance_quote", "insurance_claim", "rollover",
    "fraud", "report_fraud", "transaction", "refund", "charge_back", "split_bill", "venmo",
    "paypal", "zelle", "dispute_charge", "fraudulent", "fraudulent_charge", "money_back",
    "dollars_to", "euros_to", "pounds_to", "to_dollar", "to_euro", "order_check", "order_new_check",
    "retirement_saving", "netflix_subscription", "spotify_subscription", "gym_membership",
    "cancel_subscription", "cancel_membership", "declined", "card_declined", "dispute",
    "double_charge", "unknown_charge", "charged_twice", "overcharged", "deduct", "deductible",
    "tax_deduction", "withdraw_cash", "withdrawing_cash", "cash_withdrawal", "cash_advance", "atm",
    "foreign_transaction_fee", "card_stolen", "stolen_card", "lost_card", "card_got_stolen",
    "card_was_stolen", "card_got_lost", "dividend", "market_cap", "ticker_symbol", "share_price",
    "tuition", "standing_order", "subsidy", "futures", "mileage", "mileage_claim", "vat", "lease",
    "cashback", "set_budget", "miles_to_cash", "miles_into_cash",
    /* leave and work administration */
    "days_of_leave", "day_of_leave", "off_work", "postpone", "push_lunch", "push_dinner",
    "push_team_lunch", "push_meeting", "pto", "pto_balance", "pto_request", "time_off", "day_off",
    "days_off", "sick_leave", "sick_day", "annual_leave", "parental_leave", "maternity_leave",
    "paternity_leave", "leave_request", "request_leave", "leave_balance", "leave_of_absence",
    "vacation_day", "vacation_balance", "vacation_request", "vacation_time", "days_of_vacation",
    "weeks_of_vacation", "holiday_allowance", "timesheet", "clock_in", "clock_out", "shift_swap",
    "call_in_sick", "calling_in_sick",
    /* settings and devices */
    "shipping_address", "billing_address", "switch_language", "app_language", "language_of_app",
    "enable_two_factor", "default_browser", "font_size", "track_order", "track_package",
    "tracking_number", "order_status", "delivery_status", "setting", "user_setting",
    "system_setting", "app_setting", "preferences_menu", "turn_volume", "up_volume", "down_volume",
    "set_volume", "volume_to", "volume_on", "volume_at", "lower_volume", "raise_volume",
    "increase_volume", "decrease_volume", "adjust_volume", "change_volume", "max_volume",
    "full_volume", "volume_of", "volume_lower", "volume_higher", "volume_up", "volume_down",
    "brightness", "bluetooth", "airplane_mode", "factory_reset", "whisper_mode", "password",
    "passcode", "log_in", "log_out", "sign_out", "unsubscribe", "notification", "screen_time",
    "change_language", "change_accent", "change_name", "change_speed", "sync_device",
    "reset_setting", "thermostat", "turn_on_light", "turn_off_light", "kitchen_light",
    "bedroom_light", "room_light", "firmware_update", "update_firmware", "upgrade_firmware",
    "turn_off", "switch_off", "start_vacuum", "upload", "back_up_phone", "back_up_photo",
    "back_up_contact", "need_coat_today", "need_jacket_today",
    /* Spanish, Portuguese, French, German: reminders and calendar, money, leave, settings */
    "recordatorio", "recordar", "recuerdame", "alarma", "calendario", "cita_medica", "despertador",
    "temporizador", "banco", "bancaria", "bancario", "prestamo", "hipoteca", "transferir",
    "tarjeta_de_credito", "impuesto", "factura", "nomina", "solicitar_vacaciones",
    "dias_de_vacaciones", "dias_de_ferias", "gaste", "gastado", "gastei", "gastamos", "depense",
    "contrasena", "ajustes", "lembrete", "lembrar", "lembre", "alarme", "despertar", "emprestimo",
    "conta_bancaria", "cartao_de_credito", "imposto", "fatura", "senha", "configuracoes",
    "rappelle", "rappeler", "rappel", "calendrier", "rendez_vous", "reveil", "minuteur", "pret",
    "pret_immobilier", "bancaire", "virement", "carte_de_credit", "impot", "facture", "conge",
    "mot_de_passe", "parametre", "erinnere", "erinnern", "erinnerung", "kalender", "termin",
    "termine", "wecker", "kredit", "kontostand", "girokonto", "uberweisung", "uberweisen",
    "ueberweisung", "hypothek", "darlehen", "kreditkarte", "steuer", "steuererklarung", "rechnung",
    "gehalt", "urlaubsantrag", "krankmeldung", "passwort", "einstellung", "einstellungen",
    /* Russian */
    "напомни", "напомнить", "напоминание", "будильник", "таймер", "календарь", "календаре",
    "встречу", "банк", "банке", "кредит", "кредита", "ипотека", "счет", "счета", "баланс",
    "перевести_деньги", "перевод_денег", "налог", "налоги", "зарплата", "пароль", "настройки",
    /* Chinese */
    "提醒", "闹钟", "日历", "日程", "贷款", "银行", "余额", "转账", "信用卡", "汇率", "请假",
    "工资", "密码", "设置", "股票", "税",
    /* Hindi, Bengali, Urdu */
    "याद_दिलाओ", "याद_दिलाना", "अलार्म", "कैलेंडर", "बैंक", "लोन", "ऋण", "पासवर्ड", "सेटिंग", "মনে_করিয়ে",
    "অ্যালার্ম", "ক্যালেন্ডার", "ব্যাংক", "ঋণ", "পাসওয়ার্ড", "সেটিংস", "یاد_دلاؤ", "یاد_دلانا", "الارم",
    "کیلنڈر", "بینک", "قرض", "پاس_ورڈ", "سیٹنگ",
    /* Arabic */
    "ذكرني", "تذكير", "منبه", "المنبه", "تقويم", "بنك", "البنك", "قرض", "حوالة", "كلمة_المرور",
    "إعدادات", "ضريبة", "راتب", NULL
};

/* Nouns that name such a task only if a label has little else: "meeting", but not "restaurant for a
 * business meeting near the hotel". */
const char *const label_other_nouns[] = {
    "meeting",        "schedule",  "deadline", "balance",   "payment",       "pay",
    "paid",           "paying",    "bill",     "account",   "budget_report", "budget_for",
    "monthly_budget", "deposit",   "withdraw", "transfer",  "finance",       "financial",
    "stock",          "shares",    "bond",     "investor",  "trading",       "visa_card",
    "charge",         "charged",   "fee",      "fine",      "penalty",       "currency",
    "income",         "insurance", "premium",  "coverage",  "claim",         "deductible",
    "subscription",   "renewal",   "contract", "legal",     "wifi",          "wi_fi",
    "router",         "printer",   "battery",  "dark_mode", "reset",         "reboot",
    "restart",        NULL
};

/* Whether the term has a use of this kind, of so many words. */
static bool
is_of_kind(const struct term *term, size_t count, enum use_kind kind)
{
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next)
        if (use->kind == kind && use->word_count == count)
            return true;
    return false;
}

/* Whether the words are of another task; counts nouns of others. */
static bool
is_other(const struct label *label, const struct term *term, size_t first, size_t count,
         unsigned *nouns)
{
    *nouns += is_of_kind(term, count, USE_OTHER_NOUN) && !(count == 1 && label->words[first].again);
    return is_of_kind(term, count, USE_OTHER_TASK);
}

bool
context_is_other_noun(const struct label_word *word)
{
    return is_of_kind(word->term, 1, USE_OTHER_NOUN);
}

bool
context_has_other_task(const struct context_index *index, const struct label *label,
                       unsigned *nouns)
{
    bool other = false;
    for (size_t i = 0; i < label->count; i++)
        for (size_t count = 1; count <= label->words[i].longest; count++) {
            struct str text = label_texts(label, i, count);
            size_t last = label_last_form(text, FORM_PLURALS);
            other = is_other(label, label->words[i].phrases[count - 1], i, count, nouns) || other;
            for (size_t n = 1; n <= last; n++)
                other = is_other(label, context_index_find_form(index, text, n), i, count, nouns) ||
                        other;
        }
    return other;
}
