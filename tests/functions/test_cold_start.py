"""What a cold start does not load."""

import os
import subprocess
import sys

from local.template import ROOT, Template

AWS = {"AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}


def test_no_function_loads_numpy_or_the_model_or_a_schema_before_a_call_needs_it() -> None:
    """Each in a process of its own, as Lambda starts it."""
    template = Template()
    for function in template.functions.values():
        script = f"import sys, {function.module}; print(sorted(sys.modules))"
        environment = {**os.environ, **AWS, **template.environment, "PYTHONPATH": str(function.code)}
        command = [sys.executable, "-c", script]
        loaded = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
        assert f"'{function.module}'" in loaded
        for heavy in ("numpy", "memtools_model", "generate", "moto"):
            assert f"'{heavy}'" not in loaded, (function.module, heavy)
