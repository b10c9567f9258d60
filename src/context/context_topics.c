/* context_topics.c - words for tasks that no domain helps with: see context_internal.h. */
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
    /* papers and authorities */
    "passport_office", "renew_passport", "passport_renewal", "passport_application",
    "apply_for_passport", "visa_application", "driving_license", "drivers_license",
    "driver_license", "license_plate", "work_permit", "residence_permit", "green_card",
    "birth_certificate", "passport_valid", "jury_duty", "vote", "voter_registration",
    /* law, claims, and business */
    "sue", "suing", "sued", "liable", "liability", "lawyer", "attorney", "notary", "labor_law",
    "labour_law", "employment_law", "minimum_wage", "copyright_term", "copyright_law",
    "infringement", "complaint", "charged_card", "charged_my_card", "insolvency", "bankruptcy",
    "insure", "insured", "insurer", "commodity_price", "future_price", "food_poisoning",
    "first_aid", "music_industry", "film_industry", "food_industry", "travel_industry",
    /* household and animals */
    "stain", "laundry", "unclog", "dog_ate", "cat_ate",
    /* writing for work */
    "slogan", "cover_letter", "resume", "press_release", "newsletter", "business_card",
    /* assembly and repair */
    "assemble", "assembly_instruction", "repair_manual",
    /* words and their meaning, general knowledge */
    "national_anthem", "who_own", "who_founded", "who_invented", "invented", "what_year",
    "regulate", "habitat", "lifespan", "spell", "definition", "synonym", "antonym", "etymology",
    "pronounce", "pronunciation",
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
    "إعدادات", "ضريبة", "راتب",
    /* charges, contracts, authorities, devices, knowledge */
    "voicemail", "sim_card", "roaming", "data_allowance", "mobile_data", "data_plan", "phone_plan",
    "phone_contract", "mobile_contract", "broadband", "prepaid", "meter_reading",
    "electricity_bill", "gas_bill", "water_bill", "phone_bill", "internet_bill", "power_cut",
    "power_outage", "copay", "out_of_pocket", "health_plan", "dental_plan", "insurance_card",
    "new_hire", "pay_slip", "overtime", "resignation", "council_tax", "social_security",
    "marriage_certificate", "id_card", "census", "stamp_duty", "property_tax", "income_tax",
    "parking_ticket", "parking_fine", "speeding_ticket", "police_report", "power_of_attorney",
    "summons", "ombudsman", "change_of_address", "election", "parliament", "probation", "onboard",
    "onboarding", "bereavement_leave", "leave_form", "flu_shot", "blood_test", "prescription",
    "dentist", "dermatologist", "physiotherapist", "vaccination", "screenshot", "selfie",
    "ringtone", "autocorrect", "two_factor", "2fa", "otp", "captcha", "do_not_disturb",
    "power_saving", "away_mode", "hallway_light", "set_light", "light_off", "light_on",
    "garage_door", "front_door", "doorbell", "smart_lock", "flashlight", "time_zone", "timezone",
    "time_difference", "daylight_saving", "square_root", "percent_of", "roman_numeral",
    "capital_of", "population_of", "flip_coin", "roll_dice", "interest_earned", "trading_at",
    "closing_price", "opening_price", "etf", "nasdaq", "ftse", "brokerage", "mutual_fund",
    "bond_yield", "where_did_leave", "where_did_put", "where_did_park", "have_seen_keys",
    "find_phone", "find_keys", "are_you_listening", "how_do_you_say", "how_do_say", "how_to_say",
    "say_in_french", "say_in_spanish", "say_in_german", "say_in_italian", "say_in_english",
    "say_in_japanese", "say_in_chinese", "what_mean", "word_for", "clear_cache", "sign_in",
    "logging_out", "logged_out", "logs_out", "log_back_in", "app_keep", "app_crash", "app_freeze",
    "delivery_address", "delivery_slot", "shipping_label", "courier", "shipment",
    "customs_declaration", "customs_duty", "custom_duty", "redeliver", "out_for_delivery",
    "direct_debit", "pin_number", "sort_code", "gate_code", "door_code", "promo_code",
    "charged_for", "was_charged", "been_charged", "were_charged", "charged_me", "billed",
    "double_charged", "see_charge", "charge_from", "charge_of", "charge_for", "charge_on",
    "unauthorized_charge", "refunded", "chargeback", "chip_and_pin", "wire_money", "cash_machine",
    "exchange_student_loan", "student_loan", "payday", "wage", "holiday_pay", "notice_period",
    "work_contract", "job_offer", "fire_drill", "performance_review", "org_chart",
    "press_conference", "prime_minister", "president", "chemical_formula", "chemical_symbol",
    "boiling_point", "tire_pressure", "tyre_pressure", "oil_change", "brake_pad", "flat_tire",
    "flat_tyre", "gas_mileage", "fuel_level", "check_engine", "can_you_hear", "can_hear",
    "say_something", "support_ticket", "start_robot_vacuum", "put_phone_on", "phone_on_silent",
    "rename_folder", "downloads_folder", "open_folder", "new_folder", "create_folder",
    "new_message", "unread_message", "text_message", "read_message", "latest_message",
    "last_message", "message_from", "unread_email", "new_email", "email_from", "check_email",
    "read_email", "play_recording", "play_voicemail", "ticket_support", "where_did_save",
    "where_is_save", "turn_on_fan", "turn_on_lamp", "turn_on_tv", "lights_on", "machine_on",
    "how_many_day", "how_many_days", "what_day", "what_date", "owes_me", "owe", "compensation",
    "taxable", "permit_to", "license_to", "licence_to", "subscription", "renew", "antibiotic",
    "who_do_call", "block_number", "number_of", "mot", "team_lunch", "team_dinner", "team_meeting",
    "is_it_legal", "is_legal", "never_arrived", "not_arrived", "didnt_arrive", "hasnt_arrived",
    "thanks_for", "thank_for", "do_you_like", "do_you_eat", "do_you_drink", "do_you_have_feelings",
    "do_you_sleep", "favourite_of_yours", "porch_light", "approve", "didnt_approve", "approved",
    "earn_income", "neighbour_play", "neighbor_play", "loud_music", "late_is", "how_late",
    "is_open_on", "web_search", "for_service", "in_for_service", "app_show", "app_wont", "app_say",
    "paid_twice", "paid_holiday", "where_do_return", "where_can_return", "where_return",
    "lights_off", "is_it_sunny", "is_it_cold", "is_it_warm", "is_it_hot", "is_it_windy",
    "is_it_cloudy", "wallpaper", "retirement_plan", "index_fund", "close_ticket", "create_ticket",
    "baby_name", "how_do_airplanes", "how_do_planes", "how_do_trains", "which_team", "party_am_in",
    "blue_book", "turn_subtitle", "subtitle_on", "subtitle_off", "spelling", "spelled", "spelt",
    "misspelled", "trademark", "patent", "never_received", "not_received", "didnt_receive",
    "havent_received", "through_customs", "have_nice", "have_great", "have_good_day",
    "have_good_trip", "have_good_weekend", "have_good_time", "good_luck", "enjoy_meal",
    "enjoy_trip", NULL
};

/* Nouns that name such a task only if a label has little else: "meeting", but not "restaurant for a
 * business meeting near the hotel". */
const char *const label_other_nouns[] = {
    "meeting", "schedule", "deadline", "balance", "payment", "pay", "bill", "account",
    "budget_report", "deposit", "withdraw", "transfer", "finance", "financial", "contract",
    "lawsuit", "legal", "visa_card", "budget_for", "monthly_budget", "stock", "ceo", "founder",
    "headquarters", "degree", "meaning", "define", "founded", "homework", "legally",
    /* devices, law, insurance, offices, numbers */
    "wifi", "wi_fi", "invitation", "receipt", "sensor", "router", "printer", "battery", "hub",
    "smart_plug", "humidifier", "dehumidifier", "heater", "heating", "boiler", "sim", "insurance",
    "policy", "premium", "coverage", "clause", "hr", "employee", "staff", "probation", "landlord",
    "tenant", "court", "rights", "claim", "deductible", "inbox", "mailbox", "attachment",
    "spreadsheet", "slides", "pdf", "clinic", "hospital", "doctor", "physio", "inhaler", "vaccine",
    "paracetamol", "shares", "shareholder", "trading", "investor", "bond", "charged", "charge",
    "fee", "fine", "penalty", "storage_full", "app_support", "error_message", "tire", "tyre",
    "clutch", "engine", "windshield", "coolant", "brake", "warranty", "electricity", "utility",
    "meter", "currency", "rate", "quarter", "quarterly", "registry", "registrar", "certificate",
    "regulation", "compliance", "audit", "minutes_of", "voucher_refund", "percent", "decimal",
    "president", "population", "capital", "chemical", "cancellation_fee", "projector", "burglar",
    "smoke_detector", "safety_certificate", "headcount", "turnover", "lost_property", "signal",
    "reimbursed", "kwh", "dose", "tablet_dose", "census", "jury", "unread", "notary", "visa_status",
    "paying", "card", "voicemail", "error_code", "dark_mode", "approve", "permit", "licence",
    "license", "income", "compensation", "antibiotic", "medicine", "medication", "neighbour",
    "neighbor", "complaint", "subscription", "renewal", "reset", "paid", "reboot", "restart",
    "slot", "interviewer", "applicant", "contact_list", "emergency_contact", NULL
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
