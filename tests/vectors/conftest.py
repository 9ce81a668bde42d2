"""The third verifier and the scripts that write vectors, importable by the tests beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

collect_ignore_glob = ["independent_*.py", "written_*.py"]
