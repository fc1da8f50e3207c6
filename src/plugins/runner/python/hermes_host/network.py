"""The network of a confined plugin: a proxy on the loopback address that forwards to the filtering proxy of Hermes."""
import os
from _socket import AF_INET, AF_UNIX, SHUT_WR, SOCK_STREAM, socket
from _thread import start_new_thread


def open_network(path):
    """Sets the variables that HTTP libraries read, before the plugin's code runs."""
    server = socket(AF_INET, SOCK_STREAM)
    server.bind(("127.0.0.1", 0))
    server.listen(64)
    url = "http://127.0.0.1:%d" % server.getsockname()[1]
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ[name] = url
    for name in ("no_proxy", "NO_PROXY"):
        os.environ[name] = ""
    start_new_thread(_accept, (server, path))


def _accept(server, path):
    while True:
        try:
            descriptor, _ = server._accept()
            here = socket(AF_INET, SOCK_STREAM, 0, descriptor)
        except OSError:
            continue
        try:
            there = socket(AF_UNIX, SOCK_STREAM)
            there.connect(path)
        except OSError:
            here.close()
            continue
        ended = []
        start_new_thread(_copy, (here, there, ended))
        start_new_thread(_copy, (there, here, ended))


def _copy(source, target, ended):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            target.sendall(data)
    except OSError:
        pass
    try:
        target.shutdown(SHUT_WR)
    except OSError:
        pass
    ended.append(True)
    if len(ended) == 2:
        source.close()
        target.close()
