"""Makes the modules beside this folder importable, as they are for worker.py."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
