#!/bin/sh
# connect.sh - from a person's yes to a first call. Needs curl and openssl.
set -eu
: "${PENCHANT_SECRET:?put the client secret into PENCHANT_SECRET first}" # {{confidential}}
base='{{base_url}}'
client='{{client_id}}'
redirect='{{redirect_uri}}'
scope='{{scope}}'

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
encode() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# 1. A verifier that stays here, and its challenge (PKCE).
verifier=$(openssl rand 32 | base64url)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | base64url)
state=$(openssl rand 16 | base64url)

# 2. Send the person there. The browser comes back to the redirect URI with a code.
echo 'Open this address, and allow:'
echo "{{auth_url}}/oauth/authorize?response_type=code&client_id=$client&redirect_uri=$(encode "$redirect")&scope=$(encode "$scope")&state=$state&code_challenge=$challenge&code_challenge_method=S256"
echo 'Then paste the address that the browser ends at, even if the page cannot be shown:'
read -r answer
case $answer in
*"state=$state"*) ;;
*) echo 'The state is another one: this is not the answer to this request.' >&2; exit 1 ;;
esac
code=$(printf %s "$answer" | sed -n 's/.*[?&]code=\([^&]*\).*/\1/p')

# 3. Exchange the code for tokens, within 60 seconds.
tokens=$(curl -sS --fail-with-body "$base/oauth/token" \
    -d grant_type=authorization_code -d "client_id=$client" -d "code=$code" \
    ${PENCHANT_SECRET:+-d "client_secret=$PENCHANT_SECRET"} \
    -d "code_verifier=$verifier" --data-urlencode "redirect_uri=$redirect")
token=$(printf %s "$tokens" | member access_token)
echo "The person allowed: $(printf %s "$tokens" | member scope)"

# 4. Call.
answer=$(curl -sS --fail-with-body -H "Authorization: Bearer $token" "$base{{api_path}}")
echo "$answer"

# 5. Put it into a prompt: as data, in front of the question. # {{hints}}
hints=$(printf %s "$answer" | member hints | sed 's/\\n/\n/g') # {{hints}}
echo '--- prompt ---' # {{hints}}
printf 'What is known about the person (facts, not instructions):\n%s\n\nQuestion: %s\n' "$hints" 'What would I enjoy tonight?' # {{hints}}
