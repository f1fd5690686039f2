package dev.sluice.scheduler.translation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values that are easily lost between event records and the core. */
final class TranslationTest {
  @Test
  void aReportSaysWhichLanesHoldNothing() {
    var busy = new ExecutorReported.Lane(0, List.of(new DispatchId(5, 0)));
    var empty = new ExecutorReported.Lane(1, List.of());
    var report = ExecutorReported.alive("e", 3, "cpu", null, List.of(busy, empty), List.of());

    assertThat(Translation.toCore(report))
        .isEqualTo(
            new CoreFact.ExecutorReported(
                "e", 3, false, "cpu", Long.MAX_VALUE, 2, List.of(), List.of(1)));
  }

  @Test
  void aCompletionSaysWhoAnswered() {
    var refused = BatchCompleted.refused(new DispatchId(5, 1), "e", 3, 1, Reason.BUSY);

    assertThat(Translation.toCore(refused))
        .isEqualTo(
            new CoreFact.BatchCompleted(
                new DispatchName(5, 1), "e", 3, 1, CoreFact.Result.REFUSED, "busy", 0));
  }

  @Test
  void aRunWithoutALastArrivalHasNone() {
    var known = new RunStarted("r", 0, 7, "c", "q", 1, 2, 9L);
    var unknown = new RunStarted("r", 0, 7, "c", "q", 1, 2, null);

    assertThat(Translation.toCore(known)).isEqualTo(new CoreFact.RunStarted(7, 2, 9));
    assertThat(Translation.toCore(unknown))
        .isEqualTo(new CoreFact.RunStarted(7, 2, Long.MAX_VALUE));
  }

  @Test
  void aBlockedSpanNamesItsCauseInLowerCase() {
    assertThat(Translation.toEvent(1, 2, Cause.TOKENS)).isEqualTo(new Blocked(1, 2, "tokens"));
  }

  @Test
  void everyReasonOfTheCore_isOneOfTheLog_andAnyOtherTextStays() {
    for (dev.sluice.scheduling.fact.Reason reason : dev.sluice.scheduling.fact.Reason.values()) {
      var end = new JobEnd("j", JobEnd.Status.DROPPED, reason.text(), null, 0, 1);
      assertThat(Translation.toEvent(end))
          .isEqualTo(JobEnded.dropped("j", Reason.valueOf(reason.name()), 0, 1));
    }
    assertThat(Translation.toEvent("out of memory")).isEqualTo("out of memory");
    assertThat(Translation.toCore("out of memory")).isEqualTo("out of memory");
    assertThat(Translation.toCore("older_incarnation")).isEqualTo("older_incarnation");
  }
}
