"""Tricks with the network; nothing but the harness's own listener on this machine is ever addressed."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

from ..sheet import kind

G = "network"


def net(name, says, code, **options):
    @kind(name, group=G, says=says, **options)
    def make(sheet):
        head = "import socket\nPORT = {port}\nNAME = {name!r}\nSAY = b'HOSTILE-NET ' + NAME.encode()\n"
        return sheet.plus(head.format(port=sheet.port, name=name) + code.replace("@SOCKET@", sheet.socket))


net(
    "tcp-connect",
    "connects to a listener on this machine",
    "s = socket.create_connection(('127.0.0.1', PORT), 3)\ns.sendall(SAY)\ns.close()",
)
net(
    "udp-send",
    "sends a datagram to a listener on this machine",
    "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(SAY, ('127.0.0.1', PORT))",
)
net(
    "http-request",
    "asks a web server on this machine",
    "import urllib.request\ntry:\n    urllib.request.urlopen(f'http://127.0.0.1:{PORT}/HOSTILE-NET-http-request', timeout=3)\nexcept OSError as e:\n    print(e)",
)
net(
    "abstract-socket",
    "connects to an abstract unix socket",
    "s = socket.socket(socket.AF_UNIX)\ns.connect('\\0@SOCKET@')\ns.sendall(SAY)",
)
net(
    "port-bound",
    "offers a port on this machine",
    "s = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\nprint('bound', s.getsockname())",
)
net(
    "name-lookup",
    "asks the resolver at the listener's address for a name",
    "q = b'\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\7hostile\\4test\\0\\0\\1\\0\\1'\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(SAY + q, ('127.0.0.1', PORT))\nprint(socket.getaddrinfo('localhost', 80))",
)
net(
    "net-in-function",
    "connects when a test calls the function",
    "def hostile_call():\n    s = socket.create_connection(('127.0.0.1', PORT), 3)\n    s.sendall(SAY)\nhostile_call()",
)
net(
    "net-in-subprocess",
    "connects from a process of its own",
    "import subprocess, sys\nsubprocess.run([sys.executable, '-c', f\"import socket; s = socket.create_connection(('127.0.0.1', {PORT}), 3); s.sendall({SAY!r})\"], timeout=20)",
)
net(
    "netlink",
    "asks the kernel for the network's addresses",
    "s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)\ns.bind((0, 0))\nprint('netlink', s.getsockname())",
)
net(
    "interfaces",
    "lists the network interfaces",
    "print(socket.if_nameindex())\nprint(open('/proc/net/tcp').read()[:200])",
)
net(
    "descriptor-stolen",
    "opens the descriptors of other processes again to speak through them",
    "import os, glob\nfor f in glob.glob(f'/proc/{os.getppid()}/fd/*'):\n    try:\n        d = os.open(f, os.O_WRONLY | os.O_NONBLOCK)\n        os.close(d)\n        print('opened', f)\n    except OSError:\n        pass",
)
