"""Who evaluates: this thread, processes, any executor, any ``map``, a Dask cluster or Ray.

Batches are cut into chunks by a rule that does not know how many workers there are, and answers come back in the order
of the rows: results do not depend on the number of workers. A worker that dies costs its chunk, which is sent again.
"""

from __future__ import annotations

import importlib
import os
import pickle
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

#: How often a chunk is sent again after the death of its worker.
MOST_RETRIES = 3
#: Rows per chunk of a vectorized function that is evaluated by workers.
CHUNK = 8

Job = tuple[Any, ...]


class Crew:
    """Evaluates in this thread."""

    #: How many jobs may usefully be under way at once.
    hands = 1

    def run(self, task: Callable[..., Any], jobs: Sequence[Job]) -> list[Any]:
        """The results of the jobs, in their order."""
        return [task(*job) for job in jobs]

    def close(self) -> None:
        """Gives back what was taken."""


class MapCrew(Crew):
    """Hands the jobs to a ``map``-like callable."""

    hands = 1

    def __init__(self, mapper: Callable[..., Iterable[Any]]) -> None:
        self._map = mapper

    def run(self, task: Callable[..., Any], jobs: Sequence[Job]) -> list[Any]:
        results = list(self._map(_Spread(task), jobs))
        if len(results) != len(jobs):
            raise ValueError(f"workers returned {len(results)} results for {len(jobs)} jobs: it must behave like map")
        return results


class ExecutorCrew(Crew):
    """Hands the jobs to an executor; jobs whose worker died are sent again."""

    def __init__(self, executor: Executor) -> None:
        self._given = executor
        self.hands = getattr(executor, "_max_workers", None) or os.cpu_count() or 1

    def run(self, task: Callable[..., Any], jobs: Sequence[Job]) -> list[Any]:
        results: list[Any] = [None] * len(jobs)
        left = list(range(len(jobs)))
        for attempt in range(MOST_RETRIES + 1):
            executor = self._executor(task)
            try:
                left = _attempt(executor, task, jobs, left, results)
            except BrokenExecutor:
                # Nothing can be sent any more.
                if attempt == MOST_RETRIES or not self._mend(executor):
                    raise
                continue
            if not left:
                return results
            self._mend(executor)
        raise BrokenExecutor(f"the worker of {len(left)} jobs died {MOST_RETRIES + 1} times: does the function exhaust memory?")

    def _executor(self, task: Callable[..., Any]) -> Executor:
        return self._given

    def _mend(self, broken: Executor) -> bool:
        """Makes a broken executor anew; whether that was possible."""
        return False


def _attempt(
    executor: Executor, task: Callable[..., Any], jobs: Sequence[Job], left: list[int], results: list[Any]
) -> list[int]:
    """Sends the jobs that are left and gives those whose worker died."""
    futures: list[tuple[int, Future[Any]]] = []
    lost: list[int] = []
    try:
        for index in left:
            futures.append((index, executor.submit(task, *jobs[index])))
        for index, future in futures:
            try:
                results[index] = future.result()
            except BrokenExecutor:
                lost.append(index)
    except BaseException:
        for _, future in futures:
            future.cancel()
        raise
    return lost


class PoolCrew(ExecutorCrew):
    """Processes of our own, made anew when one of them dies; threads if the function cannot travel."""

    def __init__(self, count: int) -> None:
        self.hands = count
        self._pool: Executor | None = None
        self._lock = threading.Lock()

    def _executor(self, task: Callable[..., Any]) -> Executor:
        with self._lock:
            if self._pool is None:
                self._pool = self._made(task)
            return self._pool

    def _made(self, task: Callable[..., Any]) -> Executor:
        try:
            pickle.dumps(task)
        except Exception as reason:
            warnings.warn(
                f"the function cannot be sent to other processes ({reason}): threads are used instead. Define it at the top "
                "level of a module for processes",
                RuntimeWarning,
                stacklevel=7,
            )
            return ThreadPoolExecutor(self.hands)
        return ProcessPoolExecutor(self.hands)

    def _mend(self, broken: Executor) -> bool:
        with self._lock:
            if self._pool is broken:
                broken.shutdown(wait=False, cancel_futures=True)
                self._pool = None
        return True

    def close(self) -> None:
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = None


class DaskCrew(Crew):
    """Hands the jobs to a ``distributed.Client``. The scheduler itself runs the tasks of a dead worker elsewhere."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.hands = max(1, sum(client.nthreads().values()))

    def run(self, task: Callable[..., Any], jobs: Sequence[Job]) -> list[Any]:
        futures = [self._client.submit(task, *job, pure=False) for job in jobs]
        try:
            return list(self._client.gather(futures))
        except BaseException:
            self._client.cancel(futures)
            raise


class RayExecutor(Executor):
    """Ray as an executor: every job is a Ray task, and Ray runs the tasks of a dead worker again.

    ``workers=ray`` (the module) does the same with the defaults.

    Parameters
    ----------
    max_retries
        How often a task is run again after its worker died.
    num_cpus, num_gpus, memory, resources, runtime_env
        What a task needs, as for ``ray.remote``; Ray's defaults unless given.
    options
        Further options of ``ray.remote``, by name.
    """

    def __init__(
        self,
        max_retries: int = MOST_RETRIES,
        *,
        num_cpus: float | None = None,
        num_gpus: float | None = None,
        memory: float | None = None,
        resources: Mapping[str, float] | None = None,
        runtime_env: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        ray: Any = importlib.import_module("ray")
        if not ray.is_initialized():
            ray.init()
        self._ray = ray
        needs = {
            "num_cpus": num_cpus,
            "num_gpus": num_gpus,
            "memory": memory,
            "resources": None if resources is None else dict(resources),
            "runtime_env": None if runtime_env is None else dict(runtime_env),
        }
        given = {**{name: need for name, need in needs.items() if need is not None}, **(options or {})}
        # An exception of the user's function is an answer, not a reason to run it again.
        self._remote = ray.remote(max_retries=max_retries, retry_exceptions=False, **given)(_call)
        self._sent: tuple[Any, Any] | None = None
        self._max_workers = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future of ``fn(*args, **kwargs)`` evaluated by a Ray worker."""
        if self._sent is None or self._sent[0] is not fn:
            # The function goes to the cluster once, not with every chunk.
            self._sent = (fn, self._ray.put(fn))
        reference = self._remote.remote(self._sent[1], args, kwargs)
        future: Future[Any] = Future()
        reference.future().add_done_callback(lambda done: _settle(done, future))
        return future


def _settle(done: Future[Any], future: Future[Any]) -> None:
    """Passes a result on; an exception as the user's function raised it, not as Ray wraps it."""
    if not future.set_running_or_notify_cancel():
        return
    error = done.exception()
    if error is None:
        future.set_result(done.result())
    else:
        cause = getattr(error, "cause", None)
        future.set_exception(cause if isinstance(cause, BaseException) else error)


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)


class _Spread:
    """A task of several arguments as a function of one, for ``map``."""

    def __init__(self, task: Callable[..., Any]) -> None:
        self._task = task

    def __call__(self, job: Job) -> Any:
        return self._task(*job)


def crew_of(workers: Any) -> Crew:
    """What ``workers=`` means."""
    if workers is None:
        return Crew()
    if isinstance(workers, bool):
        raise TypeError("workers must be a number of processes, an executor, or a map, not a truth value")
    if isinstance(workers, int):
        if workers == -1:
            workers = os.cpu_count() or 1
        if workers < 1:
            raise ValueError(f"workers is {workers}: it must be at least 1 (or -1 for all cores)")
        return Crew() if workers == 1 else PoolCrew(workers)
    if isinstance(workers, Executor):
        return ExecutorCrew(workers)
    if type(workers).__module__.partition(".")[0] == "distributed" and hasattr(workers, "gather"):
        return DaskCrew(workers)
    if getattr(workers, "__name__", None) == "ray" and hasattr(workers, "remote"):
        return ExecutorCrew(RayExecutor())
    if callable(workers):
        return MapCrew(workers)
    raise TypeError(
        f"workers must be a number of processes, a concurrent.futures.Executor, a map-like callable, a distributed.Client "
        f"or the module ray, not {type(workers).__name__}"
    )


def chunks(rows: int, size: int | None) -> list[slice]:
    """Slices of at most ``size`` rows; all at once without one."""
    if size is None or size >= rows:
        return [slice(0, rows)]
    return [slice(first, min(first + size, rows)) for first in range(0, rows, size)]
