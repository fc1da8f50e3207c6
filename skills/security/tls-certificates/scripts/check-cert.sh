#!/bin/sh
# Checks a certificate file, with its key, or the certificate of a server. Usage: check-cert.sh CERT.pem [KEY.pem] | HOST:PORT
set -eu
[ $# -ge 1 ] || { echo "usage: check-cert.sh CERT.pem [KEY.pem] | HOST:PORT" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
problems=0
problem() { problems=$((problems + 1)); echo "! $*"; }
host=""
if [ -f "$1" ]; then cp "$1" "$work/chain"
else
  case $1 in *:*) ;; *) echo "no such file: $1 (a server is HOST:PORT)" >&2; exit 2 ;; esac
  host=${1%:*}
  openssl s_client -connect "$1" -servername "$host" -showcerts </dev/null >"$work/answer" 2>"$work/errors" || true
  sed -n '/-----BEGIN CERT/,/-----END CERT/p' "$work/answer" >"$work/chain"
  [ -s "$work/chain" ] || { echo "no certificate from $1: $(tail -n 1 "$work/errors")" >&2; exit 1; }
  verify=$(sed -n 's/^ *Verify return code: //p' "$work/answer" | head -n 1)
  case $verify in "0 "* | "") ;; *) problem "this machine does not trust it: $verify" ;; esac
fi
ask() { openssl x509 -in "$work/chain" -noout "$@" 2>/dev/null; }
ask -subject >/dev/null || { echo "$1 is not a certificate in PEM form" >&2; exit 2; }
ask -subject; ask -issuer; ask -startdate; ask -enddate
names=$(ask -ext subjectAltName | sed -n 's/^ *\(DNS:.*\|IP Address:.*\)/\1/p')
echo "names: ${names:-none}"
echo "certificates in the chain: $(grep -c 'BEGIN CERT' "$work/chain")"
ask -checkend 0 >/dev/null || problem "it has expired"
if ask -checkend 0 >/dev/null && ! ask -checkend 1209600 >/dev/null; then problem "it expires within 14 days"; fi
[ -n "$names" ] || problem "it has no alternative names: clients refuse it"
if [ -n "$host" ]; then
  case $host in *[!0-9.]*) kind=-checkhost ;; *) kind=-checkip ;; esac
  case $(openssl x509 -in "$work/chain" -noout "$kind" "$host" 2>/dev/null) in *"does NOT"*) problem "it is not for $host" ;; esac
fi
about=$(ask -text)
bits=$(printf '%s\n' "$about" | sed -n 's/.*Public-Key: (\([0-9]*\) bit.*/\1/p' | head -n 1)
algorithm=$(printf '%s\n' "$about" | sed -n 's/^ *Public Key Algorithm: //p' | head -n 1)
echo "key: $algorithm ${bits:-?} bit"
case $algorithm in rsa*) [ "${bits:-0}" -ge 2048 ] || problem "the key is too short" ;; esac
case $(printf '%s\n' "$about" | sed -n 's/^ *Signature Algorithm: //p' | head -n 1) in *sha1* | *md5*) problem "the signature is weak" ;; esac
if [ $# -ge 2 ]; then
  [ -f "$2" ] || { echo "no such file: $2" >&2; exit 2; }
  own=$(openssl x509 -in "$work/chain" -noout -pubkey | openssl sha256)
  its=$(openssl pkey -in "$2" -pubout 2>/dev/null | openssl sha256)
  if [ "$own" = "$its" ]; then echo "the key belongs to it"; else problem "the key belongs to another certificate"; fi
  # Mode bits of group and others.
  case $(ls -l "$2" | cut -c5-10) in ------) ;; *) problem "others can read the key: chmod 600 $2" ;; esac
fi
echo "problems: $problems"
[ "$problems" -eq 0 ]
