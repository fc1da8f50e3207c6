#!/bin/sh
# Prints a hardened unit. Usage: make-unit.sh NAME PROGRAM [ARGUMENTS…]
set -eu
[ $# -ge 2 ] || { echo "usage: make-unit.sh NAME PROGRAM [ARGUMENTS...]" >&2; exit 2; }
name=$1; program=$2; shift 2
case $name in *[!a-zA-Z0-9_.@-]*) echo "no name for a unit: $name" >&2; exit 2 ;; esac
case $program in /*) ;; *) program=$(command -v "$program") || { echo "not found: $program" >&2; exit 1; } ;; esac
line=$program
for word in "$@"; do
  word=$(printf '%s' "$word" | sed 's/\\/\\\\/g; s/"/\\"/g; s/%/%%/g; s/\$/$$/g')
  line="$line \"$word\""
done
cat <<UNIT
[Unit]
Description=$name
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=exec
ExecStart=$line
Restart=on-failure
RestartSec=2
RestartSteps=5
RestartMaxDelaySec=60
TimeoutStopSec=20

DynamicUser=yes
StateDirectory=$name
WorkingDirectory=/var/lib/$name
UMask=0077

MemoryMax=512M
TasksMax=256
LimitNOFILE=65536

NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
CapabilityBoundingSet=

[Install]
WantedBy=multi-user.target
UNIT
