"""Address: host and port of a task, parsed strictly."""

import ipaddress
import re
from dataclasses import dataclass
from typing import final

from stratagem._base.errors import ClusterError

_NAME = re.compile(r"[\w.-]+")  # a host name or an IPv4 address; DNS checks the rest
_PORT = re.compile(r"[0-9]{1,5}")
_LAST_PORT = 65535


@final
@dataclass(frozen=True)
class Address:
    """The host and port where a task listens. `host` is a name or an IP address, without brackets."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """True if only this machine can reach it. Names are not resolved: of these, only localhost counts."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"

    @property
    def key(self) -> tuple[str, int]:
        """A key that is equal for two spellings of one address."""
        host = self.host.lower()
        return "127.0.0.1" if host == "localhost" else host, self.port

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Parses `host:port`, or `[host]:port` for IPv6.

        Raises:
            ClusterError: the text is no such address; the message says in one line what is wrong.
        """
        host, colon, port = text.rpartition(":")
        if any(c.isspace() for c in text):
            problem = "contains white space"
        elif "://" in text:
            problem = f"has a protocol, {text.split('://')[0]!r}"
        elif not colon or (text.endswith("]") and text.startswith("[")):
            problem = "has no port"
        elif not _PORT.fullmatch(port) or not 1 <= int(port) <= _LAST_PORT:
            problem = f"has the port {port!r}, which is no number from 1 to {_LAST_PORT}"
        elif host.startswith("[") and host.endswith("]"):
            problem = "" if _is_ipv6(host[1:-1]) else "has no IPv6 address between its brackets"
            host = host[1:-1]
        elif ":" in host:
            problem = "needs brackets around its IPv6 address"
        else:
            problem = "" if _NAME.fullmatch(host) else "has no host name before its port"
        if problem:
            raise ClusterError(
                f"The address {text!r} {problem}. Write 'host:port', such as 'worker0.example.com:2222'."
            )
        return cls(host, int(port))


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False
