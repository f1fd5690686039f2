package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.core.Shard;
import dev.sluice.scheduling.driver.CoreSettings;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bound below: each startable job is as likely. */
final class RandomPolicyTest {
  @Test
  void drawsEachStartableJobAboutAsOften_andNoOther() {
    Map<String, Integer> draws = new TreeMap<>();
    for (long seed = 0; seed < 1000; seed++) {
      CoreSettings base = alone();
      CoreSettings settings =
          CoreSettings.of(seed, base.jobs().classes(), base.jobs().workloadTokens())
              .with(base.microbatch())
              .with(base.admission());
      Shard shard = new Shard(settings, Policies.create("random", Map.of()));
      shard.at(0, executor("e", 1, 1000));
      shard.holding(
          job(1), job(2), job(3).interactive(), job(4).on("vit"), job(5).in("bf16"), job(6));
      draws.merge(shard.jobsStartedAt(0, START).get(0).get(0), 1, Integer::sum);
    }
    // 200 each, with a standard deviation of 13
    assertThat(draws.keySet()).containsExactly("j1", "j2", "j3", "j4", "j6");
    assertThat(draws.values()).allMatch(count -> count > 150 && count < 250);
  }
}
