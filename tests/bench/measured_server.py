"""A server to be measured: the real one with metrics and log lines, on one core, with an echo and a meter of its own.

``python -m tests.bench.measured_server FOLDER SERVICES CORE [MEMO_BYTES]`` prints its port. ``/bench/Echo`` answers
what it is sent, ``/bench/Cpu`` the process's CPU nanoseconds so far.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import grpc

from referee.server.process import log_lines
from referee.server.process.app import Application, freeze_heap
from referee.server.settings.limits import LimitSettings
from tests.server.options import server_options


class Meter(grpc.GenericRpcHandler):
    """Echo and Cpu, on raw bytes."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        """Return the handler of a measuring method."""
        answers: dict[str, Callable[[bytes, grpc.ServicerContext], bytes]] = {
            "/bench/Echo": lambda request, _context: request,
            "/bench/Cpu": lambda _request, _context: str(time.process_time_ns()).encode(),
        }
        answer = answers.get(handler_call_details.method)
        return None if answer is None else grpc.unary_unary_rpc_method_handler(answer)


def main() -> None:
    """Serve until standard input ends."""
    folder, services = Path(sys.argv[1]), sys.argv[2].split(",")
    log_lines.configure(quiet=False)
    os.sched_setaffinity(0, {int(sys.argv[3])})
    limits = LimitSettings(memo_bytes=int(sys.argv[4])) if sys.argv[4:] and sys.argv[4] else None
    application = Application(server_options(data=folder, services=services, metrics="127.0.0.1:0", limits=limits))
    application.add_handler(Meter())
    application.start()
    freeze_heap()
    sys.stdout.write(f"{application.port}\n")
    sys.stdout.flush()
    done = threading.Event()

    def wait_for_the_end_of_input() -> None:
        sys.stdin.read()
        done.set()

    threading.Thread(target=wait_for_the_end_of_input, daemon=True).start()
    done.wait()
    application.close()


if __name__ == "__main__":
    main()
