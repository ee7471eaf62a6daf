"""Probes of the network: nothing leaves a sandbox by a socket."""

from __future__ import annotations

from harness.sandbox.interface import Result
from harness.sandbox.selfcheck.probe import Finding, Probe, by_words
from harness.sandbox.selfcheck.scene import Scene


def _by_arrival(scene: Scene, result: Result) -> Finding:
    """A datagram that reached the host's listener counts, whatever was said inside."""
    if scene.listeners.has_received(scene.nonce.encode()):
        return Finding("got through", "a datagram reached a listener of the host")
    return by_words(scene, result)


_UNIX = """
def ask(address):
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(3)
    made.connect(address)
    return made.recv(64) or True
"""

PROBES = (
    Probe(
        "network.loopback-tcp", "connect to a TCP service on the host's loopback",
        "tried('127.0.0.1', lambda: socket.create_connection(('127.0.0.1', V['tcp']), 3).recv(64))",
    ),
    Probe(
        "network.loopback-udp", "send a datagram to a UDP service on the host's loopback",
        """
made = socket.socket(type=socket.SOCK_DGRAM)
made.settimeout(0.2)
made.connect(("127.0.0.1", V["udp"]))
def send():
    made.send(V["nonce"].encode())
    made.recv(1)
tried("127.0.0.1", send)
""",
        judge=_by_arrival,
    ),
    Probe(
        "network.unix-abstract", "connect to an abstract unix socket of the host",
        _UNIX + "tried('abstract', lambda: ask('\\0' + V['abstract']))",
    ),
    Probe(
        "network.unix-path", "connect to a unix socket of the host by its path",
        _UNIX + "tried(V['unix'], lambda: ask(V['unix']))",
    ),
    Probe(
        "network.control-sockets", "connect to the container engine, D-Bus, systemd, name service",
        """
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
             "/run/systemd/private", "/run/dbus/system_bus_socket", "/var/run/nscd/socket",
             "/run/systemd/resolve/io.systemd.Resolve"):
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(2)
    tried(path, lambda: made.connect(path) or True)
""",
    ),
    Probe(
        "network.egress", "find a route to the outside, IPv4 and IPv6, past any proxy (no packet is sent)",
        """
def route(family, address):
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.connect((address, 443))
    return made.getsockname()[0]
tried("IPv4", lambda: route(socket.AF_INET, "192.0.2.1"))
tried("IPv6", lambda: route(socket.AF_INET6, "2001:db8::1"))
""",
    ),
    Probe(
        "network.interfaces", "see a network interface that is up, other than loopback",
        """
import fcntl
def up():
    made = socket.socket(type=socket.SOCK_DGRAM)
    for _, name in socket.if_nameindex():
        facts = fcntl.ioctl(made, 0x8913, struct.pack("16sH14x", name.encode(), 0))
        if name != "lo" and struct.unpack_from("H", facts, 16)[0] & 1:
            return name
tried("interfaces", up)
""",
    ),
    Probe(
        "network.netlink", "read the host's interfaces by AF_NETLINK",
        """
def links():
    made = socket.socket(16, socket.SOCK_RAW, 0)
    made.settimeout(2)
    made.send(struct.pack("=IHHIIBxHiII", 32, 18, 0x301, 1, 0, 0, 0, 0, 0, 0))
    while True:
        data = made.recv(1 << 16)
        while len(data) >= 16:
            length, kind = struct.unpack_from("=IH", data)
            if kind != 16:
                return
            hardware, index, flags = struct.unpack_from("=HiI", data, 18)
            if hardware != 772 and flags & 1:
                return "link %d" % index
            data = data[(length + 3) & ~3:]
tried("RTM_GETLINK", links)
""",
    ),
    Probe(
        "network.configure", "change a network interface's settings (its flags, to what they are)",
        """
import fcntl
def flags():
    made = socket.socket(type=socket.SOCK_DGRAM)
    now = fcntl.ioctl(made, 0x8913, struct.pack("16sH14x", b"lo", 0))
    fcntl.ioctl(made, 0x8914, now)
    return True
tried("SIOCSIFFLAGS", flags)
""",
    ),
    Probe(
        "network.raw", "open raw and packet sockets",
        """
tried("SOCK_RAW", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) and True)
tried("AF_PACKET", lambda: socket.socket(17, socket.SOCK_RAW) and True)
""",
    ),
    Probe(
        "network.vsock", "open a socket to the hypervisor (AF_VSOCK), which network namespaces leave open",
        "tried('AF_VSOCK', lambda: socket.socket(40, socket.SOCK_STREAM) and True)",
    ),
    Probe(
        "network.exotic-families", "open sockets of rare families (AF_ALG, AF_RDS, AF_TIPC, AF_BLUETOOTH, AF_XDP, ...)",
        """
for name, family, kind in (("AF_ALG", 38, 5), ("AF_RDS", 21, 5), ("AF_TIPC", 30, 5), ("AF_BLUETOOTH", 31, 3),
                           ("AF_XDP", 44, 3), ("AF_KEY", 15, 3), ("AF_CAN", 29, 3), ("AF_QIPCRTR", 42, 2)):
    tried(name, lambda: socket.socket(family, kind) and True)
""",
    ),
    Probe(
        "dns.query", "send a DNS query to the resolvers it finds, and to one on the host's loopback",
        """
name = b"".join(bytes([len(part)]) + part for part in (V["nonce"].encode(), b"invalid")) + b"\\0"
query = b"\\x12\\x34\\x01\\0\\0\\x01\\0\\0\\0\\0\\0\\0" + name + b"\\0\\x01\\0\\x01"
servers = [("127.0.0.1", V["udp"]), ("127.0.0.53", 53)]
try:
    servers += [(line.split()[1], 53) for line in open("/etc/resolv.conf") if line.startswith("nameserver")]
except OSError:
    pass
def ask(address):
    made = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET, socket.SOCK_DGRAM)
    made.settimeout(0.3)
    made.connect(address)
    made.send(query)
    if not address[0].startswith("127."):
        return "sent"
    return made.recv(512)
for address in servers:
    tried(address[0], lambda: ask(address))
""",
        judge=_by_arrival,
    ),
    Probe(
        "dns.lookup", "look a name up by the system's resolver",
        """
def look_up():
    try:
        return socket.getaddrinfo("localhost.localdomain.invalid", 80)
    except socket.gaierror as error:
        raise OSError(0, error.strerror)
tried("getaddrinfo", look_up)
""",
    ),
    Probe(
        "network.descriptors", "use sockets, folders and files that the harness left open",
        """
def use(number):
    mode = os.fstat(number).st_mode
    if stat.S_ISREG(mode):
        os.lseek(number, 0, 0)
        return os.read(number, 64)
    return "folder or socket" if stat.S_ISDIR(mode) or stat.S_ISSOCK(mode) else None
for number in range(3, 256):
    try:
        os.fstat(number)
    except OSError:
        continue
    tried("descriptor %d" % number, lambda: use(number))
tried("descriptors above 2", lambda: None)
""",
    ),
)  # fmt: skip
