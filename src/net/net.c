/* net.c - libcurl's global state, which must be set up before there are threads. */
#include "net/net.h"

#include <curl/curl.h>

void
net_start(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}
