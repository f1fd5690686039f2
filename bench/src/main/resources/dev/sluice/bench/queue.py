"""The bench's queue in SimPy, by its resources: a process for each job. Prints p50 and p99 in ms.

python3 queue.py JOBS JOBS_PER_SECOND LANES
"""
import random
import sys

JOBS, RATE, LANES = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
draw = random.Random(7)
latencies_ms = []


def gap_ms():
    return draw.expovariate(RATE / 1000)


def service_ms():
    return draw.choice((2, 4)) + 0.25 * draw.choice((1, 8, 32))


def with_simpy():
    import simpy

    env = simpy.Environment()
    lanes = simpy.Resource(env, LANES)

    def job():
        arrived = env.now
        with lanes.request() as turn:
            yield turn
            yield env.timeout(service_ms())
        latencies_ms.append(env.now - arrived)

    def source():
        for _ in range(JOBS):
            yield env.timeout(gap_ms())
            env.process(job())

    env.process(source())
    env.run()
    return simpy.__version__


def with_simpy_2():
    import SimPy
    from SimPy.Simulation import Process, Resource, Simulation, hold, release, request

    env = Simulation()
    env.initialize()
    lanes = Resource(LANES, sim=env)

    class Job(Process):
        def go(self):
            arrived = env.now()
            yield request, self, lanes
            yield hold, self, service_ms()
            yield release, self, lanes
            latencies_ms.append(env.now() - arrived)

    class Source(Process):
        def go(self):
            for _ in range(JOBS):
                yield hold, self, gap_ms()
                job = Job(sim=env)
                env.activate(job, job.go())

    source = Source(sim=env)
    env.activate(source, source.go())
    env.simulate(until=float("inf"))
    return SimPy.__version__


try:
    version = with_simpy()
except ImportError:
    version = with_simpy_2()  # the version that Debian 12 has
latencies_ms.sort()
print(version, latencies_ms[JOBS // 2], latencies_ms[JOBS * 99 // 100])
