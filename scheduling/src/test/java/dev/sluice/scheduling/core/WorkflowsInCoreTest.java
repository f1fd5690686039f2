package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.bounded;
import static dev.sluice.scheduling.core.Facts.completed;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Graphs that the core holds: their jobs come when those before them are done, or never. */
final class WorkflowsInCoreTest {
  private final Shard shard = Shard.of("ray_like", alone(), executor("e", 2, 1000));

  /** After a come b and c, and d after both; each is expected to take 10 ms. */
  private static WorkflowRequested diamond(int index, String workloadOfC, Long sloNs) {
    return new WorkflowRequested(
        "w" + index,
        0,
        index,
        "diamond",
        "batch",
        sloNs,
        0,
        0,
        List.of(
            node("a", "resnet18"),
            node("b", "resnet18", 0),
            node("c", workloadOfC, 0),
            node("d", "resnet18", 1, 2)));
  }

  private static WorkflowRequested diamond(int index) {
    return diamond(index, "resnet18", null);
  }

  private static WorkflowRequested.Node node(String id, String workload, Integer... inputs) {
    return new WorkflowRequested.Node(
        id, workload, "pytorch", "fp32", 1, 1, 10 * MS, List.of(inputs));
  }

  private JobSpec running(String jobId) {
    return requireNonNull(shard.core.inspection().find(jobId)).spec();
  }

  private static List<String> ids(List<BatchDispatched> dispatches) {
    return dispatches.stream().flatMap(d -> Shard.jobIds(d).stream()).toList();
  }

  private List<String> endsAsText() {
    return shard.ends.stream().map(e -> e.jobId() + " " + e.status() + " " + e.reason()).toList();
  }

  private List<String> keptWorkflows() {
    return shard.kept.keySet().stream().filter(key -> key.startsWith("workflow/")).toList();
  }

  @Test
  void releasesAJob_whenThoseBeforeItAreDone() {
    shard.at(0, START);
    List<BatchDispatched> first = shard.at(MS, diamond(0));
    assertThat(ids(first)).containsExactly("w0/a");
    assertThat(keptWorkflows()).containsExactly("workflow/0/0");
    List<BatchDispatched> second = shard.at(2 * MS, done(first.get(0)));
    assertThat(ids(second)).containsExactly("w0/b", "w0/c");
    assertThat(shard.at(3 * MS, done(second.get(1)))).isEmpty();
    List<BatchDispatched> last = shard.at(4 * MS, done(second.get(0)));
    assertThat(ids(last)).containsExactly("w0/d");
    shard.at(5 * MS, done(last.get(0)));
    assertThat(shard.ends).hasSize(4).allMatch(end -> end.status() == JobEnded.Status.DONE);
    assertThat(keptWorkflows()).isEmpty();
    assertThat(shard.core.waiting() + shard.core.running()).isZero();
  }

  @Test
  void itsJobsArriveWhenTheyAreFreed_andKeepTheWorkflowsDeadline() {
    shard.at(0, START);
    BatchDispatched first = shard.at(MS, diamond(0, "resnet18", 50 * MS)).get(0);
    JobSpec a = running("w0/a");
    shard.at(20 * MS, done(first));
    JobSpec b = running("w0/b");
    assertThat(a.intendedAtNs()).isEqualTo(MS);
    assertThat(a.pathNs()).isEqualTo(30 * MS);
    assertThat(b.intendedAtNs()).isEqualTo(20 * MS);
    assertThat(b.pathNs()).isEqualTo(20 * MS);
    assertThat(List.of(a.deadlineNs(), b.deadlineNs())).containsOnly(50 * MS);
  }

  @Test
  void itsJobsAreOfItsSource_andTheirDeadlineCountsFromItsIntendedArrival() {
    var late =
        new WorkflowRequested(
            "w", 3, 5, "one", "batch", 50 * MS, 4 * MS, 4 * MS, List.of(node("a", "resnet18")));
    shard.at(0, START);
    shard.at(9 * MS, late);
    JobSpec job = running("w/a");
    assertThat(job.source()).isEqualTo(3);
    assertThat(job.deadlineNs()).isEqualTo(54 * MS);
    assertThat(keptWorkflows()).containsExactly("workflow/3/5");
  }

  @Test
  void whatWaitsForAJobThatFailed_endsWithIt_andTheRestGoesOn() {
    shard.at(0, START);
    BatchDispatched a = shard.at(MS, diamond(0)).get(0);
    List<BatchDispatched> both = shard.at(2 * MS, done(a));
    shard.at(3 * MS, completed(both.get(0), Result.FAILED, 0));
    assertThat(endsAsText())
        .containsExactly("w0/a DONE null", "w0/b FAILED it broke", "w0/d DROPPED input_not_done");
    assertThat(keptWorkflows()).hasSize(1);
    shard.at(4 * MS, done(both.get(1)));
    assertThat(endsAsText()).last().isEqualTo("w0/c DONE null");
    assertThat(keptWorkflows()).isEmpty();
  }

  @Test
  void aJobThatNobodyKnows_endsWhatWaitsForIt() {
    shard.at(0, START);
    BatchDispatched a = shard.at(MS, diamond(0, "nobody", null)).get(0);
    BatchDispatched b = shard.at(2 * MS, done(a)).get(0);
    shard.at(3 * MS, done(b));
    assertThat(endsAsText())
        .containsExactly(
            "w0/a DONE null",
            "w0/c DROPPED unrunnable",
            "w0/d DROPPED input_not_done",
            "w0/b DONE null");
    assertThat(keptWorkflows()).isEmpty();
  }

  @Test
  void aWorkflowThatIsTurnedAway_endsWhole() {
    Shard full = Shard.of("ray_like", bounded(1, 1000), executor("e", 1, 1000));
    full.at(0, START);
    full.at(0, job(1).arrives());
    full.at(0, job(2).arrives());
    full.at(0, diamond(3));
    assertThat(full.ends)
        .extracting(JobEnded::jobId)
        .containsExactly("w3/a", "w3/b", "w3/c", "w3/d");
    assertThat(full.ends)
        .extracting(JobEnded::reason)
        .containsExactly("queue_full", "input_not_done", "input_not_done", "input_not_done");
    assertThat(full.kept.keySet()).noneMatch(key -> key.startsWith("workflow/"));
  }

  @Test
  void theEndOfTheRun_dropsWhatIsNotRunning_whetherReleasedOrNot() {
    shard.at(0, START);
    BatchDispatched a = shard.at(MS, diamond(0)).get(0);
    shard.at(2 * MS, ArrivalsEnded.punctual(0, 1));
    assertThat(shard.ends).isEmpty();
    shard.at(3 * MS, done(a));
    assertThat(endsAsText())
        .containsExactlyInAnyOrder(
            "w0/a DONE null",
            "w0/b DROPPED run_ended",
            "w0/c DROPPED run_ended",
            "w0/d DROPPED input_not_done");
    assertThat(keptWorkflows()).isEmpty();
  }

  @Test
  void aRepeatedOne_isIgnored() {
    shard.at(0, START);
    assertThat(shard.at(0, diamond(4))).hasSize(1);
    assertThat(shard.at(0, diamond(4))).isEmpty();
    assertThat(shard.at(0, diamond(3))).isEmpty();
    assertThat(shard.core.waiting()).isZero();
  }

  @Test
  void aCycle_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new WorkflowRequested(
                    "r",
                    0,
                    0,
                    "w",
                    "batch",
                    null,
                    0,
                    0,
                    List.of(node("a", "resnet18", 1), node("b", "resnet18", 0))));
  }

  @Test
  void whatALaneTakesToLoadAModel_isAsItsExecutorSays() {
    List<Long> asked = new ArrayList<>();
    SchedulingPolicy asking =
        new SchedulingPolicy() {
          @Override
          public Choice choose(SchedulerState state) {
            for (Group group : state.groups()) {
              asked.add(state.switchNs(state.lanes().iterator().next(), group));
            }
            return Choice.nothing(Choice.Cause.POLICY);
          }

          @Override
          public Needs needs() {
            return Needs.of(JobOrder.ENTRY);
          }
        };
    Shard one = new Shard(alone(), asking);
    one.at(
        0,
        executor(
            "e",
            1,
            false,
            1,
            1000,
            List.of(
                new Capability(
                    "resnet18",
                    "pytorch",
                    "fp32",
                    1,
                    List.of(new WarmUp(1, MS)),
                    250 * MS,
                    null))));
    one.at(0, START);
    one.at(0, job(1).arrives());
    assertThat(asked).containsExactly(250 * MS);
  }

  /** Workflows and jobs mixed; batches end in any order, well or not. */
  @Property(tries = 300)
  void goesOn_wherever_itIsCut(@ForAll long seed) {
    Random random = new Random(seed);
    SchedulingPolicy policy = Policies.create("ray_like", Map.of());
    Shard whole = Shard.of("ray_like", alone(), executor("e", 3, 1000));
    Shard cut = Shard.of("ray_like", alone(), executor("e", 3, 1000));
    List<BatchDispatched> running = new ArrayList<>();
    List<Step> facts = new ArrayList<>(List.of(Step.of(START)));
    int workflows = 2 + random.nextInt(4);
    for (int i = 0; i < workflows; i++) {
      facts.add(random.nextInt(3) == 0 ? job(i).arrives() : Step.of(diamond(i)));
    }
    long nowNs = 0;
    while (!facts.isEmpty() || !running.isEmpty()) {
      nowNs += random.nextInt(3) * MS;
      Step fact;
      if (!facts.isEmpty() && (running.isEmpty() || random.nextBoolean())) {
        fact = facts.remove(0);
      } else {
        BatchDispatched ends = running.remove(random.nextInt(running.size()));
        fact = Step.of(random.nextInt(6) == 0 ? completed(ends, Result.FAILED, 0) : done(ends));
      }
      List<CoreEntity> kept = new ArrayList<>(cut.kept.values());
      Collections.shuffle(kept, random);
      Shard before = cut;
      cut = before.restored(alone(), policy, kept);
      cut.ends.addAll(before.ends);
      List<BatchDispatched> started = whole.at(nowNs, fact);
      assertThat(cut.at(nowNs, fact)).isEqualTo(started);
      running.addAll(started);
    }
    whole.at(nowNs, TICK);
    assertThat(cut.ends).isEqualTo(whole.ends);
    long jobs = whole.ends.stream().map(JobEnded::jobId).distinct().count();
    assertThat(whole.ends).as("each job ends once").hasSize((int) jobs);
    assertThat(whole.core.waiting() + whole.core.running()).isZero();
    assertThat(whole.kept.keySet()).noneMatch(key -> key.startsWith("workflow/"));
    assertThat(cut.kept.keySet()).isEqualTo(whole.kept.keySet());
  }
}
