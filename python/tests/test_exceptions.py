"""What goes wrong in the user's function comes back as it was, with the best result so far."""

import os
import signal
import subprocess
import sys
import textwrap

import gradless
import numpy as np
import pytest


class OwnError(Exception):
    """An exception only its user knows."""


def failing_after(calls, error):
    left = [calls]

    def fun(X):
        left[0] -= 1
        if left[0] < 0:
            raise error
        return ((X - 0.3) ** 2).sum(axis=1)

    return fun


def test_an_exception_comes_back_unchanged_with_the_best_result_so_far():
    error = OwnError("the simulator is gone")
    with pytest.raises(OwnError) as caught:
        gradless.minimize(failing_after(8, error), np.zeros(10))
    assert caught.value is error
    result = error.gradless_result
    assert result.nit >= 5 and result.fun < 0.9 and result.status == 5
    assert "the simulator is gone" in result.message


def test_an_interrupt_in_the_function_keeps_the_result():
    with pytest.raises(KeyboardInterrupt) as caught:
        gradless.minimize(failing_after(8, KeyboardInterrupt()), np.zeros(10))
    assert caught.value.result is caught.value.gradless_result
    assert caught.value.result.status == 4 and caught.value.result.nit >= 5


def test_an_exception_in_the_callback_keeps_the_result_too():
    def callback(progress):
        if progress.nit == 3:
            raise OwnError

    with pytest.raises(OwnError) as caught:
        gradless.minimize(lambda X: (X**2).sum(axis=1), np.ones(5), callback=callback)
    assert caught.value.gradless_result.nit == 3


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("fun", ["lambda X: (X ** 2).sum(axis=1)", "slow"])
def test_control_c_ends_a_run_and_keeps_what_it_has(fun):
    script = f"""
        import time, numpy as np, gradless
        def slow(X):
            time.sleep(0.02)
            return (X ** 2).sum(axis=1)
        def callback(progress):
            if progress.nit == 3:
                print("ready", flush=True)
        try:
            gradless.minimize({fun}, np.ones(20), maxfev=10**12, callback=callback)
        except KeyboardInterrupt as stop:
            print("nit", stop.result.nit >= 3, "fun", stop.result.fun < 20)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=120)[0] == "nit True fun True\n"
        assert child.returncode == 0
    finally:
        child.kill()
