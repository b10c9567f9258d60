#include "unit/web/by_hand.h"

static int
setup(void **state)
{
    (void)state;
    open_web(NULL, "https://id.example", true);
    return 0;
}

static int
post(const char *form)
{
    prepare("POST", "/signup");
    with_form(form);
    with("Origin", "https://id.example");
    return send_it();
}

static void
the_form_asks_for_what_an_account_needs(void **state)
{
    (void)state;
    assert_int_equal(get("/signup"), 200);
    assert_true(answer_is_page());
    static const char *const names[] = { "username", "email", "name", "password" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(response_contains(str_format(hand.mem, "name=\"%s\"", names[i]).ptr));
        assert_true(response_contains(str_format(hand.mem, "<label for=\"%s\">", names[i]).ptr));
        assert_true(response_contains(
            str_format(hand.mem, "aria-describedby=\"%s-hint %s-problem\"", names[i], names[i])
                .ptr));
    }
    assert_false(response_contains("aria-invalid=\"true\""));
    assert_false(response_contains("role=\"alert\""));
}

static void
a_new_account_is_signed_in(void **state)
{
    (void)state;
    assert_int_equal(
        post("username=+ada+&email=ada%40example.org&name=Ada+L&password=+four+odd+words+"), 303);
    assert_header("Location", "/account/welcome");
    assert_int_equal(fake.calls, 1);
    assert_true(str_eq_c(fake.params.username, "ada"));
    assert_true(str_eq_c(fake.params.email, "ada@example.org"));
    assert_true(str_eq_c(fake.params.name, "Ada L"));
    assert_true(str_eq_c(fake.params.password, " four odd words "));
}

static void
without_a_session_the_user_signs_in_by_hand(void **state)
{
    (void)state;
    fake.started = ERR_UNAVAILABLE;
    assert_int_equal(post("username=ada&password=x&next=%2Fdeveloper"), 303);
    assert_header("Location", "/signin?next=%2Fdeveloper");
    assert_null(answer_header("Set-Cookie"));
}

static void
a_password_that_was_not_sent_is_empty_and_never_absent(void **state)
{
    (void)state;
    static const char *const forms[] = { "username=ada", "username=ada&password=", "" };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        post(forms[i]);
        assert_true(str_present(fake.params.password));
        assert_int_equal(fake.params.password.len, 0);
    }
    assert_int_equal(fake.calls, 3);
}

static void
a_problem_is_shown_beside_its_field_and_the_input_is_kept(void **state)
{
    (void)state;
    fake.made = ERR_INVALID;
    fake.problems.username = "Start the username with a letter.";
    assert_int_equal(
        post("username=4%22%3E%3Cb%3Eda&email=a%40b.example&name=Ada&password=hunter2"), 400);
    assert_true(answer_is_page());
    assert_true(response_contains(">Start the username with a letter.</p>"));
    assert_true(response_contains("<a href=\"#username\">"));
    assert_false(response_contains("<a href=\"#email\">"));
    assert_true(response_contains("value=\"a@b.example\""));
    assert_true(response_contains("value=\"Ada\""));
    assert_true(response_contains("4&quot;&gt;&lt;b&gt;da") ||
                response_contains("4&#34;&gt;&lt;b&gt;da"));
    assert_false(response_contains("<b>"));
    assert_false(response_contains("hunter2"));
    const char *username = strstr(answer_body(), "id=\"username\"");
    assert_non_null(username);
    assert_non_null(strstr(username, "aria-invalid=\"true\""));
    assert_null(strstr(strstr(username, "</div>"), "aria-invalid=\"true\""));
}

static void
a_taken_name_is_shown_in_the_same_way(void **state)
{
    (void)state;
    fake.made = ERR_TAKEN;
    fake.problems.email = "This address belongs to an account.";
    assert_int_equal(post("username=ada&password=x"), 400);
    assert_true(response_contains(">This address belongs to an account.</p>"));
}

static void
without_a_store_the_page_asks_to_try_again(void **state)
{
    (void)state;
    fake.made = ERR_UNAVAILABLE;
    assert_int_equal(post("username=ada&password=hunter2"), 503);
    assert_true(answer_is_page());
    assert_non_null(answer_header("Retry-After"));
    assert_true(response_contains("No account was created."));
    assert_true(response_contains("value=\"ada\""));
    assert_false(response_contains("hunter2"));
}

static void
closed_registration_rejects_the_form_and_its_submission(void **state)
{
    (void)state;
    close_web();
    open_web(NULL, "https://id.example", false);
    assert_int_equal(get("/signup"), 403);
    assert_true(answer_is_page());
    assert_true(response_contains("Sign-up is closed"));
    assert_int_equal(post("username=ada&password=x"), 403);
    assert_true(answer_is_page());
    assert_int_equal(fake.calls, 0);
    assert_int_equal(get("/"), 200);
    assert_false(response_contains("href=\"/signup\""));
}

static void
another_site_cannot_make_accounts(void **state)
{
    (void)state;
    prepare("POST", "/signup");
    with_form("username=ada&password=x");
    with("Origin", "https://evil.example");
    assert_int_equal(send_it(), 403);
    assert_int_equal(fake.calls, 0);
}

static void
a_field_sent_twice_is_refused(void **state)
{
    (void)state;
    assert_int_equal(post("username=ada&username=eve&password=x"), 400);
    assert_int_equal(fake.calls, 0);
}

static void
what_is_sent_in_the_query_is_not_the_form(void **state)
{
    (void)state;
    prepare("POST", "/signup?username=eve&password=seen-in-logs");
    with_form("username=ada");
    send_it();
    assert_true(str_eq_c(fake.params.username, "ada"));
    assert_int_equal(fake.params.password.len, 0);
}

static void
the_form_is_bounded_and_waits_on_a_worker(void **state)
{
    (void)state;
    post("username=ada");
    assert_int_equal(hand.exchange.body_max, 16 * KIB);
    assert_true(hand.exchange.blocks);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tear_down_web)

int
main(void)
{
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    const struct CMUnitTest tests[] = {
        TEST(the_form_asks_for_what_an_account_needs),
        TEST(a_new_account_is_signed_in),
        TEST(without_a_session_the_user_signs_in_by_hand),
        TEST(a_password_that_was_not_sent_is_empty_and_never_absent),
        TEST(a_problem_is_shown_beside_its_field_and_the_input_is_kept),
        TEST(a_taken_name_is_shown_in_the_same_way),
        TEST(without_a_store_the_page_asks_to_try_again),
        TEST(closed_registration_rejects_the_form_and_its_submission),
        TEST(another_site_cannot_make_accounts),
        TEST(a_field_sent_twice_is_refused),
        TEST(what_is_sent_in_the_query_is_not_the_form),
        TEST(the_form_is_bounded_and_waits_on_a_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
