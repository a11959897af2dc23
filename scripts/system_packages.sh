#!/usr/bin/env bash
# What the tests need beside Python: Chromium for the pages, PostgreSQL for the storage, nginx for a server behind a proxy.
# Installs what is missing on a Debian-like machine; elsewhere says what to install, and the tests that need it say so too.
set -euo pipefail

missing=()
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    missing+=(chromium)
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
command -v initdb >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
if ! command -v apt-get >/dev/null || { [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; }; then
    echo "Please install: ${missing[*]}. Tests that need them are skipped until then."
    exit 0
fi
echo "Installing ${missing[*]}; this takes a minute."
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q >/dev/null || true
"${as_root[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}" >/dev/null
