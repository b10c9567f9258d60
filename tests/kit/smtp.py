# A mail server for the tests (aiosmtpd). Prints one line of JSON per event; a line on standard input sets what
# happens to the next messages: accept, refuse (550), later (451), stall (no response), die (closes after DATA).
# usage: smtp.py PORT [CERT KEY tls|starttls] [USER PASSWORD]

import asyncio
import json
import os
import ssl
import sys
import threading

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

mode = "accept"


def tell(**event):
    print(json.dumps(event), flush=True)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if mode == "refuse":
            tell(event="refused")
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        text = envelope.content.decode("utf-8", "surrogateescape")
        if mode == "later":
            tell(event="later")
            return "451 try again later"
        if mode == "stall":
            tell(event="stalled")
            await asyncio.sleep(3600)
        if mode == "die":
            tell(event="died")
            server.transport.abort()
            return "421 gone"
        tell(event="mail", sender=envelope.mail_from, to=envelope.rcpt_tos, text=text,
             tls=server.transport.get_extra_info("ssl_object") is not None, user=getattr(session.auth_data, "login", b"").decode())
        return "250 OK"


def read_modes():
    global mode
    for line in sys.stdin:
        mode = line.strip()
        tell(event="mode", mode=mode)
    os._exit(0)


async def main():
    port, *rest = sys.argv[1:]
    options, context, implicit = {}, None, False
    if len(rest) >= 3:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(rest[0], rest[1])
        implicit = rest[2] == "tls"
        if not implicit:
            options |= {"tls_context": context, "require_starttls": True}
        rest = rest[3:]
    if len(rest) == 2:
        def check(server, session, envelope, mechanism, data):
            good = isinstance(data, LoginPassword) and data.login == rest[0].encode() and data.password == rest[1].encode()
            return AuthResult(success=good, handled=False, auth_data=data)
        options |= {"authenticator": check, "auth_required": True, "auth_require_tls": False}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), hostname="mail.test", **options), "127.0.0.1", int(port),
                                      ssl=context if implicit else None)
    tell(event="listening", port=server.sockets[0].getsockname()[1])
    threading.Thread(target=read_modes, daemon=True).start()
    await server.serve_forever()


asyncio.run(main())
