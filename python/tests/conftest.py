"""What the tests share."""

import sys
from pathlib import Path

import pytest

# Worker processes import the functions they evaluate.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def dask_client():
    """A real Dask cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    settings = {"distributed.scheduler.allowed-failures": 10, "distributed.comm.timeouts.connect": "120s"}
    import dask

    with dask.config.set(settings):
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, worker_dashboard_address=None
        )
        client = distributed.Client(cluster, timeout="120s")
        client.run(lambda path: sys.path.insert(0, path), str(Path(__file__).parent))
        client.register_plugin(Importable(str(Path(__file__).parent)))
        yield client
        client.close()
        cluster.close(timeout=60)


@pytest.fixture(scope="session")
def ray_module():
    """A real Ray on this machine with two worker processes."""
    ray = pytest.importorskip("ray")
    path = str(Path(__file__).parent)
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=100_000_000,
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    yield ray
    ray.shutdown()


try:
    from distributed import WorkerPlugin
except ImportError:
    WorkerPlugin = object


class Importable(WorkerPlugin):
    """Lets workers, also those that replace a dead one, import the functions of the tests."""

    def __init__(self, path):
        self.path = path

    def setup(self, worker):
        if self.path not in sys.path:
            sys.path.insert(0, self.path)
