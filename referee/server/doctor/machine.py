"""Checks of the machine: ports, disk space, modes of the data folder, open files and the expiry of certificates."""

import resource
import shutil
import stat
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from referee.evidence.printable import error_words
from referee.server.doctor.check_result import CheckResult
from referee.server.folder_lock import FILE_NAME, FolderInUseError, lock_folder
from referee.server.process.address import bound_socket
from referee.server.process.certificate import CertificateFormatError, expires_time
from referee.server.process.probes import PROBE_SECONDS, READY
from referee.server.settings.configuration import Configuration

_DAY_MS: Final = 86_400_000
_MIB: Final = 1024 * 1024
_LEAST_BYTES: Final = 100 * _MIB
_FEW_BYTES: Final = 1024 * _MIB
_FEW_DAYS: Final = 30
_FEW_FILES: Final = 4_096
_LEAST_FILES: Final = 256
_DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Asks this machine's own ports, whatever proxy the environment names."""


def check_ports(configuration: Configuration) -> Iterator[CheckResult]:
    """Check that the addresses are free, or used by a server on this data folder."""
    is_served = _is_served(Path(configuration.log.data))
    addresses = {
        "serve.listen": configuration.serve.listen,
        "telemetry.metrics": configuration.telemetry.metrics,
        "web.listen": configuration.web.place,
    }
    for key, address in addresses.items():
        if address and not address.startswith("unix"):
            try:
                bound_socket(address).close()
                yield CheckResult.ok(key, f"{address} is free")
            except OSError as error:
                if is_served:
                    yield CheckResult.ok(key, f"{address} is taken; a server runs on this data folder")
                else:
                    remedy = "stop the process that has it, or use another address"
                    yield CheckResult.fail(key, f"{address}: {error.strerror or error}", remedy)


def check_answers(configuration: Configuration) -> Iterator[CheckResult]:
    """Check that a server on this data folder answers calls, by the probe of each worker on its metrics' port."""
    if not configuration.telemetry.metrics or not _is_served(Path(configuration.log.data)):
        return
    for worker in range(configuration.serve.workers):
        address = configuration.of_worker(worker).telemetry.metrics
        name = f"server at {address}"
        try:
            with _DIRECT.open(f"http://{address}{READY}", timeout=2 * PROBE_SECONDS) as answer:
                yield CheckResult.ok(name, answer.read().decode().strip())
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode(errors="replace").strip()
            yield CheckResult.fail(name, text, "see its log lines; a server that answers no call must be started again")
        except OSError as error:
            words = f"a server runs on this data folder, and does not answer here: {error_words(error)}"
            yield CheckResult.warn(name, words, "give the settings that it runs with, or start it again if it has them")


def check_modes(data: Path) -> Iterator[CheckResult]:
    """Check that nobody but the owner can read or enter the data folder; sockets may be a group's on purpose."""
    if not data.exists():
        return
    found = [
        (path, stat.S_IMODE(mode))
        for path in (data, *sorted(data.rglob("*")))
        if (mode := _mode_of(path)) & (stat.S_IRWXG | stat.S_IRWXO)
    ]
    if not found:
        yield CheckResult.ok("permissions", f"only the owner can read {data}")
        return
    path, mode = found[0]
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    yield CheckResult.warn(
        "permissions",
        f"{path} has mode {mode:04o}{more}; folders should have 0700 and files 0600",
        f"run: chmod -R go= {data}",
    )


def _mode_of(path: Path) -> int:
    """Return the mode of a file or folder; 0 for a socket, a link, and a file that is gone."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return 0  # SQLite removed a side file meanwhile
    return 0 if stat.S_ISSOCK(mode) or stat.S_ISLNK(mode) else mode


def _is_served(data: Path) -> bool:
    if not (data / FILE_NAME).exists():
        return False
    try:
        with lock_folder(data, alone=True):
            return False
    except FolderInUseError:
        return True
    except OSError:
        return False


def check_disk(
    data: Path,
    *,
    log_bytes: int,
    log_ms: int,
    usage: Callable[[Path], tuple[int, int, int]] = shutil.disk_usage,
) -> Iterator[CheckResult]:
    """Check the free space, and for how long it lasts if the log (``log_bytes`` in ``log_ms``) grows as before."""
    total, _, free = usage(_existing(data))
    room = f"{free / _MIB:,.0f} MiB of {total / _MIB:,.0f} free"
    if log_ms >= _DAY_MS // 24 and log_bytes:
        days = free / (log_bytes / log_ms) / _DAY_MS
        room += f", {days:,.0f} days at the log's growth of {log_bytes / log_ms * _DAY_MS / _MIB:,.1f} MiB a day"
    else:
        days = float("inf")
    if free < _LEAST_BYTES:
        yield CheckResult.fail("disk", room, "free space; a full disk stops the log")
    elif free < _FEW_BYTES or days < _FEW_DAYS:
        yield CheckResult.warn("disk", room, "free space, or move the data folder to a larger disk")
    else:
        yield CheckResult.ok("disk", room)


def check_files(
    limit: Callable[[], tuple[int, int]] = lambda: resource.getrlimit(resource.RLIMIT_NOFILE),
) -> CheckResult:
    """Check how many files, and so connections, a process may open."""
    soft, hard = limit()
    allowed = f"{soft:,} may be open" if soft != resource.RLIM_INFINITY else "any number may be open"
    if soft == resource.RLIM_INFINITY or soft >= _FEW_FILES:
        return CheckResult.ok("open files", allowed)
    remedy = f"raise it (ulimit -n, LimitNOFILE=65536); this user's hard limit is {hard:,}"
    return (CheckResult.fail if soft < _LEAST_FILES else CheckResult.warn)("open files", allowed, remedy)


def check_certificates(configuration: Configuration, *, now: int) -> Iterator[CheckResult]:
    """Check the expiry of the certificates; ``now`` is in ms since 1970 UTC."""
    for name in ("certificate", "client_ca"):
        path = getattr(configuration.tls, name)
        if path:
            yield _certificate(f"tls.{name}", path, now=now)


def _certificate(key: str, path: str, *, now: int) -> CheckResult:
    try:
        ends = expires_time(Path(path).read_bytes())
    except (OSError, CertificateFormatError) as error:
        return CheckResult.fail(key, f"{path}: {error_words(error)}", "give the PEM file of a certificate")
    days = (ends - now) / _DAY_MS
    if days <= 0:
        return CheckResult.fail(key, f"{path} expired {-days:,.0f} days ago", "renew it; no restart is needed")
    if days < _FEW_DAYS:
        return CheckResult.warn(key, f"{path} expires in {days:,.0f} days", "renew it; no restart is needed")
    return CheckResult.ok(key, f"{days:,.0f} days left")


def _existing(path: Path) -> Path:
    """Return the folder, or its nearest existing parent."""
    path = path.absolute()
    while not path.exists():
        path = path.parent
    return path
