package dev.sluice.bench;

import static dev.sluice.bench.Bench.Row.atMost;
import static dev.sluice.bench.TaskNews.BEGIN;
import static dev.sluice.bench.TaskNews.END;

import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A queue whose scheduler is killed (SIGKILL) again and again at seeded moments, and started again
 * each time: tasks that were lost, that ran twice at once, and that ran after they were done. One
 * kill in five comes while the scheduler starts, the others after a number of tasks has begun.
 */
public final class SweepKillsBench implements Bench {
  private static final int SLOTS = 8;
  private static final long SEED = 42;

  /** Bound of the tasks that begin between a start and a kill. */
  private static final int TASKS_SPAN = 50;

  /** Bound of the time from a start to a kill that comes early. */
  private static final int START_MS_SPAN = 700;

  /** Bound of the time that is waited beside a number of tasks. */
  private static final int MORE_MS_SPAN = 6;

  private static final long LOOK_MS = 100;
  private static final Row LOST = atMost("sweep_kills_lost", "tasks", 0);
  private static final Row DOUBLED = atMost("sweep_kills_doubled", "tasks", 0);
  private static final Row AFTER_DONE = atMost("sweep_kills_run_after_done", "tasks", 0);

  private final Path folder;
  private final int tasks;
  private final int kills;

  /**
   * @param folder where files of the measurement go
   */
  public SweepKillsBench(Path folder) {
    this(folder, 10_000, 200);
  }

  SweepKillsBench(Path folder, int tasks, int kills) {
    this.folder = folder;
    this.tasks = tasks;
    this.kills = kills;
  }

  @Override
  public String name() {
    return "sweep-kills";
  }

  @Override
  public List<Row> rows() {
    return List.of(LOST, DOUBLED, AFTER_DONE);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    var workspace =
        new BenchWorkspace(Files.createTempDirectory(folder, "sweep-kills-"), SLOTS, false);
    Path ran = workspace.file("ran");
    try (var news = new TaskNews(workspace.file("news"))) {
      String says = "echo \"%c $2\" >>" + BenchWorkspace.quoted(ran) + "\n";
      workspace.runs("/bin/sh", says.formatted(BEGIN) + news.says(BEGIN) + says.formatted(END));
      workspace.hand(tasks);
      Process scheduler = workspace.scheduler();
      var random = new Random(SEED);
      for (int kill = 0; kill < kills; kill++) {
        awaitMoment(scheduler, news, random);
        if (!scheduler.isAlive()) {
          throw new MeasurementFailedException(
              "the scheduler ended after " + kill + " of " + kills + " kills",
              workspace.file("logs"));
        }
        scheduler.destroyForcibly().waitFor();
        scheduler = workspace.scheduler();
      }
      int unused = scheduler.waitFor();
    }
    return counted(Files.readAllLines(ran), workspace.state().tasks());
  }

  private static void awaitMoment(Process scheduler, TaskNews news, Random random)
      throws InterruptedException {
    if (random.nextInt(5) == 0) {
      boolean unused = scheduler.waitFor(random.nextInt(START_MS_SPAN), TimeUnit.MILLISECONDS);
      return;
    }
    int target = news.count(BEGIN) + random.nextInt(TASKS_SPAN);
    boolean waits = true;
    while (waits) {
      waits = !news.await(BEGIN, target, LOOK_MS) && scheduler.isAlive();
    }
    boolean unused = scheduler.waitFor(random.nextInt(MORE_MS_SPAN), TimeUnit.MILLISECONDS);
  }

  /**
   * Counts what should not be.
   *
   * @param ran what the tasks wrote, in order: a word of begin or end, a space, the config
   */
  Map<Row, Double> counted(List<String> ran, Collection<TaskState> states) {
    Map<String, Integer> begins = new HashMap<>();
    Map<String, Integer> ends = new HashMap<>();
    int doubled = 0;
    int afterDone = 0;
    for (String line : ran) {
      String config = line.substring(2);
      if (line.charAt(0) == END) {
        ends.merge(config, 1, Integer::sum);
      } else if (begins.merge(config, 1, Integer::sum) > 1) {
        if (ends.containsKey(config)) {
          afterDone++;
        } else {
          doubled++;
        }
      }
    }
    long done =
        states.stream()
            .filter(task -> task.phase() == Phase.DONE && ends.containsKey(task.config()))
            .count();
    return Map.of(
        LOST, (double) (tasks - done), DOUBLED, (double) doubled, AFTER_DONE, (double) afterDone);
  }
}
