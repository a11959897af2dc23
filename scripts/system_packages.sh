#!/usr/bin/env bash
# Install the programs that tests need besides Python: Chromium (pages), PostgreSQL (storage), nginx (server behind a proxy).
# On a Debian-like machine missing programs are installed; elsewhere the script prints their names, and their tests are skipped.
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
