#include "unit/assert_str.h"

#include "page/device.h"

static void
a_user_agent_gives_browser_and_system(void **state)
{
    static const struct {
        const char *agent;
        const char *browser;
        const char *os;
        bool is_phone;
    } rows[] = {
        { "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox",
          "Linux", false },
        { "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
          "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
          "Edge", "Windows", false },
        { "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
          "Chrome/126.0.0.0 Safari/537.36 OPR/111.0.0.0",
          "Opera", "Windows", false },
        { "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
          "Gecko) Version/17.5 Safari/605.1.15",
          "Safari", "Mac", false },
        { "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
          "like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
          "Safari", "iPhone", true },
        { "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
          "CriOS/126.0.0.0 Mobile/15E148 Safari/604.1",
          "Chrome", "iPad", true },
        { "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
          "SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
          "Samsung Internet", "Android", true },
        { "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) "
          "Chrome/126.0.0.0 Safari/537.36",
          "Chrome", "ChromeOS", false },
        { "curl/8.5.0", "curl", NULL, false },
        { "an unknown device", NULL, NULL, false },
        { "", NULL, NULL, false },
        { NULL, NULL, NULL, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct device device = device_read(str_of(rows[i].agent));
        const char *why = rows[i].agent == NULL ? "absent" : rows[i].agent;
        assert_str(str_of(device.browser), str_of(rows[i].browser), why);
        assert_str(str_of(device.os), str_of(rows[i].os), why);
        assert_int_equal(device.is_phone, rows[i].is_phone);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_user_agent_gives_browser_and_system) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
