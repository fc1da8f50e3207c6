"""Says at which layer a host, port or address cannot be reached. Usage: reach.py URL | HOST:PORT [TIMEOUT_SECONDS]"""

import http.client
import os
import socket
import ssl
import sys
import time
from urllib.parse import urlsplit

if len(sys.argv) < 2:
    sys.exit(__doc__)
target = sys.argv[1]
limit = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
parts = urlsplit(target if "://" in target else f"tcp://{target}")
scheme, host = parts.scheme, parts.hostname
try:
    port = parts.port or {"https": 443, "http": 80}.get(scheme)
except ValueError:
    port = None
if not host or not port:
    sys.exit(f"{target} is neither an address nor HOST:PORT")


def timed(work):
    start = time.monotonic()
    try:
        return work(), (time.monotonic() - start) * 1000, None
    except (OSError, ssl.SSLError, http.client.HTTPException) as error:
        return None, (time.monotonic() - start) * 1000, error


def stop(layer, why):
    print(f"fails at: {layer} ({why})")
    sys.exit(1)


def reason(error):
    if isinstance(error, socket.timeout):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    return str(error) or type(error).__name__


for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
    value = os.environ.get(name) or os.environ.get(name.upper())
    if value:
        # Without the user and the password.
        print(f"proxy: {name} is set ({value.rsplit('@', 1)[-1]}); this check connects directly")

found, ms, error = timed(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
if error:
    stop("name", reason(error))
addresses = list(dict.fromkeys((family, address[0]) for family, _, _, _, address in found))
print(f"name: {host} is {', '.join(address for _, address in addresses)} ({ms:.0f} ms)")

reached = None
faults = []
for family, address in addresses:

    def connect():
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.settimeout(limit)
        try:
            connection.connect((address, port))
            return connection
        except OSError:
            connection.close()
            raise

    connection, ms, error = timed(connect)
    kind = "IPv6" if family == socket.AF_INET6 else "IPv4"
    print(f"port {port}: {address} ({kind}): {'connected' if connection else reason(error)} ({ms:.0f} ms)")
    if connection and reached is None:
        reached = connection
    elif connection:
        connection.close()
    else:
        faults.append(reason(error))
if reached is None:
    stop("port", ", ".join(dict.fromkeys(faults)))

if scheme == "https":
    wrapped, ms, error = timed(lambda: ssl.create_default_context().wrap_socket(reached, server_hostname=host))
    if error:
        stop("TLS", reason(error))
    print(f"TLS: {wrapped.version()} ({ms:.0f} ms)")
    reached = wrapped

if scheme in ("http", "https"):
    client = http.client.HTTPConnection(host, port, timeout=limit)
    client.sock = reached

    def ask():
        client.request("GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), headers={"User-Agent": "reach", "Connection": "close"})
        return client.getresponse()

    answer, ms, error = timed(ask)
    if error:
        stop("HTTP", reason(error))
    note = f" to {answer.getheader('location')}" if 300 <= answer.status < 400 else ""
    print(f"HTTP: {answer.status} {answer.reason}{note} ({ms:.0f} ms, server {answer.getheader('server') or 'unnamed'})")
    if answer.status >= 500:
        stop("HTTP", f"status {answer.status}")
reached.close()
print("reachable")
