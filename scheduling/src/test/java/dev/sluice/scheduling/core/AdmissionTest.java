package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.ALONE;
import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.TICK;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.JobEnded;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which jobs are dropped before a policy sees them, and when the core wakes for it. */
final class AdmissionTest {
  /** One lane, busy with a first job for as long as the test likes. */
  private static Shard busy(Admission admission) {
    Shard shard = Shard.of("fifo", settings(ALONE, admission), executor("e", 1, 1000));
    shard.at(0, START);
    shard.at(0, job(1).sloMs(10_000).arrives());
    return shard;
  }

  @Test
  void noneIsDropped_byDefault() {
    Shard shard = busy(Admission.NONE);
    shard.at(0, job(2).sloMs(50).arrives());
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
    shard.at(1000 * MS, TICK);
    assertThat(shard.ends).isEmpty();
  }

  @Test
  void anExpiredJobIsDropped_onceItsDeadlineHasPassed() {
    Shard shard = busy(Admission.EXPIRED);
    shard.at(0, job(2).sloMs(50).arrives());
    assertThat(shard.core.wakeAtNs()).isEqualTo(50 * MS + 1);
    shard.at(50 * MS, TICK);
    assertThat(shard.ends).isEmpty();
    shard.at(50 * MS + 1, TICK);
    assertThat(shard.ends)
        .containsExactly(
            new JobEnded("j2", JobEnded.Status.DROPPED, "expired", null, 0, 50 * MS + 1));
    assertThat(shard.kept).doesNotContainKey("job/j2");
    assertThat(shard.core.wakeAtNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aHopelessJobIsDropped_onceItWouldMissItsDeadlineEvenAlone() {
    Shard shard = busy(Admission.HOPELESS);
    shard.at(0, job(2).on("vit").sloMs(150).arrives()); // takes 100 ms
    assertThat(shard.core.wakeAtNs()).isEqualTo(50 * MS + 1);
    shard.at(50 * MS, TICK);
    assertThat(shard.ends).isEmpty();
    shard.at(51 * MS, TICK);
    assertThat(shard.ends).extracting(JobEnded::reason).containsExactly("hopeless");
  }

  @Test
  void hopeIsJudgedByTheFastestExecutor() {
    Shard shard = busy(Admission.HOPELESS);
    shard.at(0, executor("slow", 1, false, "slow", 1, 1000, List.of(Facts.capability("vit", 500))));
    shard.at(0, job(2).on("vit").sloMs(10_000).arrives());
    shard.at(0, job(3).on("vit").sloMs(150).arrives());
    assertThat(shard.ends).isEmpty();
    assertThat(shard.core.wakeAtNs()).isEqualTo(50 * MS + 1);
  }

  @Test
  void dropsStandInOrderOfEntry() {
    Shard shard = busy(Admission.EXPIRED);
    shard.at(0, job(2).on("vit").sloMs(50).arrives());
    shard.at(0, job(3).sloMs(40).arrives());
    shard.at(0, job(4).on("vit").sloMs(30).arrives());
    shard.at(60 * MS, TICK);
    assertThat(shard.ends).extracting(JobEnded::jobId).containsExactly("j2", "j3", "j4");
  }
}
