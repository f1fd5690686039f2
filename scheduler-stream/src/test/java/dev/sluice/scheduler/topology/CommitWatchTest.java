package dev.sluice.scheduler.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.ProcessClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The time at which a scheduler that commits nothing gives up. */
final class CommitWatchTest {
  private final AtomicLong nowNs = new AtomicLong();
  private final AtomicBoolean ownsShards = new AtomicBoolean(true);
  private final List<Throwable> ended = new ArrayList<>();
  private final CommitWatch watch =
      new CommitWatch(
          new ProcessClock(InstantSource.fixed(Instant.EPOCH), nowNs::get),
          ownsShards::get,
          ended::add);

  @AfterEach
  void stop() {
    watch.close();
  }

  @Test
  void givesUp_whenWhatItAppliedIsNotCommittedForAMinute() {
    watch.applied();
    at(59);
    watch.applied(); // the fact is applied again, after an abort
    at(60);
    assertThat(ended).isEmpty();
    at(61);
    assertThat(ended).singleElement().asString().contains("nothing could be committed for 60 s");
  }

  @Test
  void goesOn_whenItCommits_orHasNothingToCommit() {
    watch.applied();
    at(59);
    watch.committed();
    at(200);
    watch.applied();
    at(259);
    assertThat(ended).isEmpty();
  }

  @Test
  void goesOn_whenItsShardsAreAnothers() {
    watch.applied();
    ownsShards.set(false);
    at(61);
    ownsShards.set(true);
    at(62);
    assertThat(ended).isEmpty();
  }

  private void at(long seconds) {
    nowNs.set(seconds * 1_000_000_000L);
    watch.look();
  }
}
