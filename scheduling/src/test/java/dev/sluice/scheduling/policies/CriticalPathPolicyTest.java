package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.done;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.core.Shard;
import dev.sluice.scheduling.core.Step;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Switching;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The longest path first, lanes that keep their models, and gangs that are not starved. */
final class CriticalPathPolicyTest {
  private static final Switching SLOW =
      (resident, workload) -> workload.equals(resident) ? 0 : 50 * MS;

  private final Shard free = shard(Switching.NONE, 1);

  private static Shard shard(Switching switching, int lanes) {
    CoreSettings s = alone();
    CoreSettings settings =
        s.with(
            new CoreSettings.Placing(s.placing().ahead(), s.placing().cpuFallback(), switching, 0));
    Shard shard = new Shard(settings, Policies.create("critical_path", Map.of()));
    shard.at(0, executor("e", lanes, 1000));
    shard.at(0, START);
    return shard;
  }

  private static Step ofPath(Facts.Job job, long pathMs) {
    JobSpec spec = job.spec();
    return Step.of(
        new JobSpec(
            spec.id(),
            spec.source(),
            spec.index(),
            spec.classType(),
            spec.workload(),
            spec.backend(),
            spec.precision(),
            spec.samples(),
            spec.lanesNeeded(),
            spec.sloNs(),
            spec.intendedAtNs(),
            new JobSpec.Node(0, 0, pathMs * MS)));
  }

  /** The policy may leave a lane idle, and does so while the first job cannot start. */
  @Test
  void usesEveryLane_whenEachJobFits() {
    EveryPolicyTest.usesEveryLane("critical_path");
    EveryPolicyTest.fillsEmptyLanesFirst("critical_path");
  }

  @Test
  void startsTheJobOfTheLongestPath_firstByEntryAmongEquals() {
    BatchDispatched first = free.at(0, job(1).arrives()).get(0);
    free.at(0, ofPath(job(2), 10));
    free.at(0, ofPath(job(3), 30));
    free.at(0, ofPath(job(4), 30));
    BatchDispatched second = free.at(MS, done(first)).get(0);
    assertThat(Shard.jobIds(second)).containsExactly("j3");
    assertThat(free.jobsStartedAt(2 * MS, done(second))).containsExactly(List.of("j4"));
  }

  @Test
  void nobodyIsOvertakenForEver_byLongerPathsThatComeLater() {
    BatchDispatched first = free.at(0, job(1).arrives()).get(0);
    free.at(0, ofPath(job(2), 10));
    free.at(0, ofPath(job(3).atMs(25), 30));
    assertThat(free.jobsStartedAt(30 * MS, done(first))).containsExactly(List.of("j2"));
  }

  @Test
  void aLaneStaysWithItsModel_untilAnotherJobIsThatMuchMoreUrgent() {
    Shard shard = shard(SLOW, 1);
    BatchDispatched first = shard.at(0, job(1).arrives()).get(0);
    shard.at(0, ofPath(job(2).on("vit"), 1000));
    shard.at(0, ofPath(job(3), 1));
    BatchDispatched second = shard.at(MS, done(first)).get(0);
    assertThat(Shard.jobIds(second)).containsExactly("j3");
    shard.at(MS, ofPath(job(4).atMs(200 * 50 + 1), 1)); // 200 times the switch later, and more
    assertThat(shard.jobsStartedAt(2 * MS, done(second))).containsExactly(List.of("j2"));
  }

  @Test
  void aModelIsNotLoadedAgain_whileTheLaneThatHoldsItIsDoneSooner() {
    Shard shard = shard(SLOW, 2);
    BatchDispatched first = shard.at(0, job(1).arrives()).get(0);
    assertThat(shard.at(0, job(2).arrives())).isEmpty();
    assertThat(shard.at(0, job(3).on("vit").arrives())).hasSize(1);
    assertThat(shard.at(MS, done(first)).get(0).lanes()).containsExactly(0);
    assertThat(shard.blocked).isEmpty();
  }

  @Test
  void aGangThatIsFirst_keepsItsLanesFree_andNoOthers() {
    Shard shard = shard(Switching.NONE, 4);
    List<BatchDispatched> running =
        shard.at(
            0,
            Step.together(job(1).arrives(), job(2).arrives(), job(3).arrives(), job(4).arrives()));
    shard.at(0, ofPath(job(5).lanes(2), 60_000));
    shard.at(0, job(6).arrives());
    shard.at(0, job(7).arrives());
    assertThat(shard.at(MS, done(running.get(1)))).isEmpty(); // lane 1 is kept
    assertThat(shard.at(2 * MS, done(running.get(3))).get(0).lanes()).containsExactly(3);
    assertThat(shard.at(3 * MS, done(running.get(0))).get(0).lanes()).containsExactly(0, 1);
    assertThat(shard.blocked).extracting(Blocked::cause).contains(Blocked.Cause.POLICY.text());
  }
}
