package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static dev.sluice.scheduling.core.Facts.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.scheduling.core.InvalidChoiceException.Rule;
import dev.sluice.scheduling.core.RecordedDecisions.Late;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What a record's decisions are in the state of a core that is deciding. */
final class RecordedDecisionsTest {
  /**
   * The answer in the state of a core at 60 ms, in which j1 and j2 wait, of promises of 50 ms and 1
   * s, beside two idle lanes.
   */
  private static <T> T atSixtyMs(Function<SchedulerState, T> question) {
    List<T> answers = new ArrayList<>();
    Shard shard =
        new Shard(joining(10, 8), Policies.create("priority_slo", Map.of())) {
          @Override
          public void deciding(SchedulerState state) {
            answers.add(question.apply(state));
          }
        };
    shard.at(0, executor("e", 2, 1000));
    shard.holding(job(1).sloMs(50), job(2));
    shard.at(60 * MS, START);
    assertThat(answers).as("asked once, before anything starts").hasSize(1);
    return answers.get(0);
  }

  @Test
  void aRecordedStart_isAChoiceOfItsJobsAndLanes() {
    Choice.Start start =
        atSixtyMs(state -> RecordedDecisions.start(state, List.of("j2", "j1"), "e", List.of(1)));
    assertThat(start.batch()).extracting(Object::toString).containsExactly("j2", "j1");
    assertThat(start.lanes()).extracting(SchedulerState.Lane::index).containsExactly(1);
    assertThat(start.notAfterNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void refusesAStart_ofWhatDoesNotWaitOrIsNotThere() {
    refuses(Rule.UNKNOWN_JOB, List.of("j1", "j9"), "e", 0);
    refuses(Rule.UNKNOWN_JOB, List.of("j1", "j1"), "e", 0);
    refuses(Rule.UNKNOWN_LANE, List.of("j1"), "nobody", 0);
    refuses(Rule.UNKNOWN_LANE, List.of("j1"), "e", 2);
  }

  @Test
  void refusesAStart_thatBreaksARuleOfTheCore() {
    refuses(Rule.GANG_SIZE, List.of("j1"), "e", 0, 1);
  }

  private static void refuses(Rule rule, List<String> batch, String executorId, Integer... lanes) {
    assertThatExceptionOfType(InvalidChoiceException.class)
        .isThrownBy(
            () ->
                atSixtyMs(
                    state -> RecordedDecisions.start(state, batch, executorId, List.of(lanes))))
        .satisfies(broken -> assertThat(broken.rule()).isEqualTo(rule));
  }

  @Test
  void lateAreTheJobsThatAnAdmissionWouldDrop() {
    List<Late> expired = atSixtyMs(state -> RecordedDecisions.late(state, Admission.EXPIRED));
    assertThat(expired).containsExactly(new Late("j1", "batch", "expired"));
    List<Late> none = atSixtyMs(state -> RecordedDecisions.late(state, Admission.NONE));
    assertThat(none).isEmpty();
  }
}
