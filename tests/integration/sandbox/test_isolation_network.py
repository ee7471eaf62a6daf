"""Nothing leaves a sandbox by a socket."""

from __future__ import annotations

import secrets
import socket

import pytest
from boxes import Box

pytestmark = pytest.mark.needs_bwrap


def test_no_connection_to_the_internet_or_to_this_machine(shared_box: Box) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        code = f"""
import socket
print(sorted(name for _, name in socket.if_nameindex()))
for kind, address in ((socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET, ("127.0.0.1", {server.getsockname()[1]})),
                      (socket.AF_INET6, ("2001:db8::1", 80))):
    with socket.socket(kind) as tried:
        tried.settimeout(3)
        try:
            tried.connect(address)
            print("connected", address)
        except OSError as error:
            print("refused")
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
    try:
        tried.sendto(b"x", ("192.0.2.1", 53))
        print("sent")
    except OSError:
        print("refused")
"""
        assert shared_box.python(code).splitlines() == ["['lo']", "refused", "refused", "refused", "refused"]
        with pytest.raises(TimeoutError):
            server.accept()


def test_no_name_is_resolved(shared_box: Box) -> None:
    code = """
import socket
for name in ("example.com", "example.org"):
    try:
        print(socket.getaddrinfo(name, 443))
    except socket.gaierror:
        print("unknown")
"""
    assert shared_box.python(code).split() == ["unknown", "unknown"]


def test_sockets_inside_the_sandbox_work(shared_box: Box) -> None:
    """Tests of a package may talk to themselves."""
    code = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
    end, _ = server.accept()
    client.sendall(b"hello")
    print(end.recv(5).decode())
    end.close()
"""
    assert shared_box.python(code).strip() == "hello"


def test_abstract_sockets_of_this_machine_are_out_of_reach(shared_box: Box) -> None:
    name = f"restartlab-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        with socket.socket(socket.AF_UNIX) as neighbour:
            neighbour.connect(f"\0{name}")  # outside it can be reached
        code = f"""
import socket
try:
    socket.socket(socket.AF_UNIX).connect("\\0{name}")
    print("connected")
except ConnectionRefusedError:
    print("refused")
"""
        assert shared_box.python(code).strip() == "refused"


@pytest.mark.parametrize("family", [40, 38, 17, 31, 29], ids=["vsock", "alg", "packet", "bluetooth", "can"])
def test_other_socket_families_are_refused(shared_box: Box, family: int) -> None:
    code = f"""
import errno, socket
try:
    socket.socket({family}, socket.SOCK_STREAM)
    print("made")
except OSError as error:
    print(errno.errorcode[error.errno])
"""
    assert shared_box.python(code).strip() == "EAFNOSUPPORT"


def test_the_filter_and_not_the_kernel_refuses_vsock(shared_box: Box) -> None:
    """Where the kernel has AF_VSOCK, the network namespace alone would let it pass."""
    try:
        socket.socket(40, socket.SOCK_STREAM).close()
    except OSError:
        pytest.skip("this kernel has no AF_VSOCK")
    done = shared_box.run("""python3 -c 'import socket; socket.socket(40, socket.SOCK_STREAM)'""")
    assert done.returncode == 1
    assert b"Errno 97" in done.output
