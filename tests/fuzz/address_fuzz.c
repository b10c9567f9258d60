/* Listen addresses, networks, and X-Forwarded-For: accepted texts survive writing and reading, an
 * address is in the network of itself, and forwarded_walk() stops only at the peer or at an address
 * of the header, and continues only from a trusted one. */
#include "http/address.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_address(struct str text)
{
    struct address address, again;
    char written[ADDRESS_TEXT_MAX];
    if (!address_parse(text, &address))
        return;
    address_write(&address, written);
    assert(strlen(written) < sizeof written);
    assert(address_parse(str_of(written), &again));
    assert(address_eq(&address, &again));
    struct networks self;
    assert(networks_parse(written, &self) == NULL && self.count == 1);
    assert(networks_contain(&self, &address));
    again.bytes[15] ^= 1;
    assert(!networks_contain(&self, &again));
}

static void
check_listen(const char *text)
{
    struct listen_address listen, again;
    char written[LISTEN_TEXT_MAX];
    if (listen_parse(text, &listen) != NULL)
        return;
    address_write_with_port(&listen.address, listen.port, written);
    assert(listen_parse(written, &again) == NULL);
    assert(again.port == listen.port && address_eq(&again.address, &listen.address));
    assert(!listen.any || text[0] == ':');
}

static void
check_networks(const char *text)
{
    struct networks networks;
    if (networks_parse(text, &networks) != NULL)
        return;
    assert(networks.count <= HTTP_PROXIES_MAX);
    for (size_t i = 0; i < networks.count; i++) {
        assert(networks.list[i].bits <= 128);
        assert(networks_contain(&networks, &networks.list[i].base));
    }
}

static void
check_forwarded(struct str value)
{
    struct networks trusted;
    struct address peer, client;
    assert(networks_parse("10.0.0.0/8, fd00::/8", &trusted) == NULL);
    assert(address_parse(STR("9.9.9.9"), &peer));
    client = peer;
    assert(
        !forwarded_walk(value, &trusted, &client)); /* the header of an untrusted peer is ignored */
    assert(address_eq(&client, &peer));

    assert(address_parse(STR("10.1.2.3"), &peer));
    client = peer;
    bool goes_on = forwarded_walk(value, &trusted, &client);
    assert(!goes_on || networks_contain(&trusted, &client));
    /* Text before an untrusted client changes nothing. */
    if (!networks_contain(&trusted, &client) && value.len < 4000) {
        char longer[4096] = "6.6.6.6, ";
        struct address same = peer;
        memcpy(longer + 9, value.ptr, value.len);
        forwarded_walk((struct str){ longer, value.len + 9 }, &trusted, &same);
        assert(address_eq(&same, &client));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct str all = { text, size };
    check_address(all);
    check_listen(text);
    check_networks(text);
    check_forwarded(all);
    return 0;
}
