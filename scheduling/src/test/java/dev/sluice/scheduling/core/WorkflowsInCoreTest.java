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
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreFact.ArrivalsEnded;
import dev.sluice.scheduling.fact.CoreFact.Capability;
import dev.sluice.scheduling.fact.CoreFact.Result;
import dev.sluice.scheduling.fact.CoreFact.WarmUp;
import dev.sluice.scheduling.fact.CoreFact.WorkflowArrived;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobGraph;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.WorkflowSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Graphs that the core holds: their jobs come when those before them are done, or never. */
final class WorkflowsInCoreTest {
  private final Shard shard = Shard.of("ray_like", alone(), executor("e", 2, 1000));

  /** After a come b and c, and d after both; each is expected to take 10 ms. */
  private static WorkflowSpec diamond(int index, String workloadOfC, long sloNs) {
    return new WorkflowSpec(
        "w" + index,
        0,
        index,
        "batch",
        sloNs,
        0,
        new JobGraph(
            List.of(
                node("a", "resnet18"),
                node("b", "resnet18", 0),
                node("c", workloadOfC, 0),
                node("d", "resnet18", 1, 2))),
        new long[] {10 * MS, 10 * MS, 10 * MS, 10 * MS});
  }

  private static WorkflowArrived diamond(int index) {
    return new WorkflowArrived(diamond(index, "resnet18", Long.MAX_VALUE));
  }

  private static JobGraph.Node node(String id, String workload, Integer... inputs) {
    return new JobGraph.Node(id, workload, "pytorch", "fp32", 1, 1, List.of(inputs));
  }

  private static List<String> ids(List<Dispatch> dispatches) {
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
    List<Dispatch> first = shard.at(MS, diamond(0));
    assertThat(ids(first)).containsExactly("w0/a");
    assertThat(keptWorkflows()).containsExactly("workflow/0/0");
    List<Dispatch> second = shard.at(2 * MS, done(first.get(0)));
    assertThat(ids(second)).containsExactly("w0/b", "w0/c");
    assertThat(shard.at(3 * MS, done(second.get(1)))).isEmpty();
    List<Dispatch> last = shard.at(4 * MS, done(second.get(0)));
    assertThat(ids(last)).containsExactly("w0/d");
    shard.at(5 * MS, done(last.get(0)));
    assertThat(shard.ends).hasSize(4).allMatch(end -> end.status() == JobEnd.Status.DONE);
    assertThat(keptWorkflows()).isEmpty();
    assertThat(shard.core.waiting() + shard.core.running()).isZero();
  }

  @Test
  void itsJobsArriveWhenTheyAreFreed_andKeepTheWorkflowsDeadline() {
    shard.at(0, START);
    Dispatch first = shard.at(MS, new WorkflowArrived(diamond(0, "resnet18", 50 * MS))).get(0);
    Dispatch second = shard.at(20 * MS, done(first)).get(0);
    JobSpec a = first.jobs().get(0);
    JobSpec b = second.jobs().get(0);
    assertThat(a.intendedAtNs()).isEqualTo(MS);
    assertThat(a.pathNs()).isEqualTo(30 * MS);
    assertThat(b.intendedAtNs()).isEqualTo(20 * MS);
    assertThat(b.pathNs()).isEqualTo(20 * MS);
    assertThat(List.of(a.deadlineNs(), b.deadlineNs())).containsOnly(50 * MS);
  }

  @Test
  void itsJobsAreOfItsSource_andTheirDeadlineCountsFromItsIntendedArrival() {
    JobGraph one = new JobGraph(List.of(node("a", "resnet18")));
    var late = new WorkflowSpec("w", 3, 5, "batch", 50 * MS, 4 * MS, one, new long[] {10 * MS});
    shard.at(0, START);
    JobSpec job = shard.at(9 * MS, new WorkflowArrived(late)).get(0).jobs().get(0);
    assertThat(job.source()).isEqualTo(3);
    assertThat(job.deadlineNs()).isEqualTo(54 * MS);
    assertThat(keptWorkflows()).containsExactly("workflow/3/5");
  }

  @Test
  void whatWaitsForAJobThatFailed_endsWithIt_andTheRestGoesOn() {
    shard.at(0, START);
    Dispatch a = shard.at(MS, diamond(0)).get(0);
    List<Dispatch> both = shard.at(2 * MS, done(a));
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
    Dispatch a = shard.at(MS, new WorkflowArrived(diamond(0, "nobody", Long.MAX_VALUE))).get(0);
    Dispatch b = shard.at(2 * MS, done(a)).get(0);
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
    assertThat(full.ends).extracting(JobEnd::jobId).containsExactly("w3/a", "w3/b", "w3/c", "w3/d");
    assertThat(full.ends)
        .extracting(JobEnd::reason)
        .containsExactly("queue_full", "input_not_done", "input_not_done", "input_not_done");
    assertThat(full.kept.keySet()).noneMatch(key -> key.startsWith("workflow/"));
  }

  @Test
  void theEndOfTheRun_dropsWhatIsNotRunning_whetherReleasedOrNot() {
    shard.at(0, START);
    Dispatch a = shard.at(MS, diamond(0)).get(0);
    shard.at(2 * MS, new ArrivalsEnded(0, 1));
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
            () -> new JobGraph(List.of(node("a", "resnet18", 1), node("b", "resnet18", 0))));
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
            return new Needs(Set.of(JobOrder.ENTRY), false, false, false);
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
                    "resnet18", "pytorch", "fp32", 1, List.of(new WarmUp(1, MS)), 250 * MS))));
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
    List<Dispatch> running = new ArrayList<>();
    List<CoreFact> facts = new ArrayList<>(List.of(START));
    int workflows = 2 + random.nextInt(4);
    for (int i = 0; i < workflows; i++) {
      facts.add(random.nextInt(3) == 0 ? job(i).arrives() : diamond(i));
    }
    long nowNs = 0;
    while (!facts.isEmpty() || !running.isEmpty()) {
      nowNs += random.nextInt(3) * MS;
      CoreFact fact;
      if (!facts.isEmpty() && (running.isEmpty() || random.nextBoolean())) {
        fact = facts.remove(0);
      } else {
        Dispatch ends = running.remove(random.nextInt(running.size()));
        fact = random.nextInt(6) == 0 ? completed(ends, Result.FAILED, 0) : done(ends);
      }
      List<CoreEntity> kept = new ArrayList<>(cut.kept.values());
      Collections.shuffle(kept, random);
      Shard before = cut;
      cut = before.restored(alone(), policy, kept);
      cut.ends.addAll(before.ends);
      List<Dispatch> started = whole.at(nowNs, fact);
      assertThat(cut.at(nowNs, fact)).isEqualTo(started);
      running.addAll(started);
    }
    whole.at(nowNs, TICK);
    assertThat(cut.ends).isEqualTo(whole.ends);
    long jobs = whole.ends.stream().map(JobEnd::jobId).distinct().count();
    assertThat(whole.ends).as("each job ends once").hasSize((int) jobs);
    assertThat(whole.core.waiting() + whole.core.running()).isZero();
    assertThat(whole.kept.keySet()).noneMatch(key -> key.startsWith("workflow/"));
    assertThat(cut.kept.keySet()).isEqualTo(whole.kept.keySet());
  }
}
