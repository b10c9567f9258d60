#include "net/net.h"

#include <curl/curl.h>

void
net_start(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}
