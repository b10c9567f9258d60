#!/bin/sh
# The whole authorization flow as an app runs it: sign in, consent, exchange the code, read preferences and hints.
# Needs curl and openssl. Each step prints its request and the response.
#
#   sh first-call.sh BASE_URL CLIENT_ID CLIENT_SECRET USER PASSWORD
set -eu
base=$1 client=$2 secret=$3 user=$4 password=$5
redirect=http://127.0.0.1/callback
scopes='profile:read music_preferences agent_hints'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { printf '\n== %s\n' "$1"; }
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
field() { sed -n "s/.*name=\"$1\" value=\"\([^\"]*\)\".*/\1/p" "$2" | head -n 1; }
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$2"; }

step '1  Create a code verifier and its code challenge (PKCE)'
verifier=$(openssl rand 32 | base64url)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | base64url)
echo "code_challenge=$challenge"

step '2  The user signs in (a browser would show the page)'
curl -sS -o /dev/null -c "$work/cookies" --data-urlencode "username=$user" \
    --data-urlencode "password=$password" -w 'POST /signin -> %{http_code}\n' "$base/signin"

step '3  The app sends the user to the consent page'
curl -sS -G -b "$work/cookies" -o "$work/consent.html" -w 'GET /oauth/authorize -> %{http_code}\n' \
    -d response_type=code -d "client_id=$client" -d state=xyz -d prompt=consent \
    -d "code_challenge=$challenge" -d code_challenge_method=S256 \
    --data-urlencode "redirect_uri=$redirect" --data-urlencode "scope=$scopes" "$base/oauth/authorize"

step '4  The user allows these scopes for 30 days'
curl -sS -b "$work/cookies" -o /dev/null -D "$work/head" -w 'POST /oauth/consent -> %{http_code}\n' \
    -d "request=$(field request "$work/consent.html")" -d "form=$(field form "$work/consent.html")" \
    -d scope=profile:read -d scope=music_preferences -d scope=agent_hints -d term=30d -d decision=allow "$base/oauth/consent"
grep -i '^location:' "$work/head"
code=$(sed -n 's/.*[?&]code=\([^&]*\).*/\1/p' "$work/head")

step '5  The app exchanges the code for tokens'
curl -sS -o "$work/tokens" -w 'POST /oauth/token -> %{http_code}\n' \
    -d grant_type=authorization_code -d "client_id=$client" -d "client_secret=$secret" \
    -d "code=$code" -d "code_verifier=$verifier" --data-urlencode "redirect_uri=$redirect" "$base/oauth/token"
sed 's/\(pn_.t_....\)[A-Za-z0-9_-]*/\1…/g' "$work/tokens"; echo
token=$(member access_token "$work/tokens")

step '6  The app asks who the user is'
call() { echo "GET $1"; curl -sS -w '\n' -H "Authorization: Bearer $token" "$base$1"; }
call /oauth/userinfo

step '7  It reads preferences'
call /v1/preferences/music_preferences

step '8  It gets hints for an AI prompt'
call '/v1/agent-hints?context=concert_recommendation&max_tokens=100'
