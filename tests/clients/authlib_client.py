"""An app written with Debian's python3-authlib, as its documentation has it.

Spoken to in lines of JSON on standard input: first the settings, then the address the browser came
back with. Says the address to open, then what each call of the library gave.
"""

import json
import sys
from urllib.parse import parse_qs, urlsplit

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session


def say(**what):
    print(json.dumps(what), flush=True)


def hear():
    return json.loads(sys.stdin.readline())


def main():
    given = hear()
    metadata = requests.get(given["issuer"] + "/.well-known/oauth-authorization-server", timeout=20).json()
    session = OAuth2Session(
        given["client_id"],
        given.get("client_secret"),
        scope=given["scope"],
        redirect_uri=given["redirect_uri"],
        token_endpoint_auth_method=given["method"],
        revocation_endpoint_auth_method=given["method"],
        code_challenge_method="S256",
    )
    verifier = generate_token(48)
    url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
    say(open=url, state=state, issuer=metadata["issuer"])

    is_back = hear()["url"]
    answer = parse_qs(urlsplit(is_back).query)
    if "error" in answer:  # fetch_token() leaves a refusal to the app
        say(error=answer["error"], state=answer["state"] == [state])
        return
    token = session.fetch_token(metadata["token_endpoint"], authorization_response=is_back, state=state, code_verifier=verifier)
    session.scope = token["scope"]  # what was granted; else it asks for all of it again when it refreshes
    say(token=token)

    def introspect(value, hint):
        return session.introspect_token(metadata["introspection_endpoint"], token=value, token_type_hint=hint).json()

    say(userinfo=session.get(metadata["userinfo_endpoint"]).json())
    if given.get("client_secret"):
        say(introspected=introspect(token["access_token"], "access_token"))
    renewed = session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
    say(refreshed=renewed, userinfo=session.get(metadata["userinfo_endpoint"]).json())
    revoked = session.revoke_token(metadata["revocation_endpoint"], token=renewed["refresh_token"], token_type_hint="refresh_token")
    say(revoked=revoked.status_code, body=revoked.text)
    if given.get("client_secret"):
        say(introspected=introspect(renewed["access_token"], "access_token"))
    try:
        session.refresh_token(metadata["token_endpoint"], refresh_token=renewed["refresh_token"])
        say(error=None)
    except AuthlibBaseError as refused:
        say(error=refused.error)
    say(status=session.get(metadata["userinfo_endpoint"]).status_code)


main()
