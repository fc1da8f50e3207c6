#!/bin/sh
# Makes a private CA and a certificate for development. Usage: make-dev-cert.sh FOLDER NAME…
set -eu
[ $# -ge 2 ] || { echo "usage: make-dev-cert.sh FOLDER NAME..." >&2; exit 2; }
folder=$1; shift
umask 077
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -f "$folder/ca.pem" ]; then
  printf '[req]\ndistinguished_name=dn\nx509_extensions=v3\nprompt=no\n[dn]\nCN=Development CA\n[v3]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n' >"$work/ca.cnf"
  openssl ecparam -name prime256v1 -genkey -noout -out "$folder/ca-key.pem"
  openssl req -x509 -new -key "$folder/ca-key.pem" -sha256 -days 365 -config "$work/ca.cnf" -out "$folder/ca.pem"
fi
names=""
for name in "$@"; do
  case $name in *[!0-9.:]*) kind=DNS ;; *) kind=IP ;; esac
  names="$names${names:+,}$kind:$name"
done
printf 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=serverAuth\nsubjectAltName=%s\n' "$names" >"$work/ext.cnf"
openssl ecparam -name prime256v1 -genkey -noout -out "$folder/$1-key.pem"
openssl req -new -key "$folder/$1-key.pem" -subj "/CN=$1" -out "$work/request"
openssl x509 -req -in "$work/request" -CA "$folder/ca.pem" -CAkey "$folder/ca-key.pem" -CAcreateserial -CAserial "$work/serial" \
  -days 90 -sha256 -extfile "$work/ext.cnf" -out "$work/cert" 2>/dev/null
cat "$work/cert" "$folder/ca.pem" >"$folder/$1.pem"
openssl verify -CAfile "$folder/ca.pem" "$folder/$1.pem"
echo "certificate: $folder/$1.pem, key: $folder/$1-key.pem, trust: $folder/ca.pem"
