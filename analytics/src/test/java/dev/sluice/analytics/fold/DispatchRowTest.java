package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What became of a dispatch of two jobs. */
final class DispatchRowTest {
  private static DispatchRow row(boolean answered, int endedByIt, int endedOtherwise) {
    var id = new DispatchId(7, 0);
    var dispatch =
        new BatchDispatched(
            id,
            new Place("e", 1, List.of(0)),
            Work.firstAttempt(
                new ModelKey("resnet18", "onnx", "fp32"),
                List.of(new DispatchedJob("a", 1), new DispatchedJob("b", 1)),
                88),
            Decision.at(0),
            Prediction.ofMean(1, "running_mean", 1));
    DispatchRow.Answer answer =
        answered
            ? new DispatchRow.Answer(BatchCompleted.done(id, "e", 1, 0, 5, 10, 1), 20, null)
            : null;
    return new DispatchRow(0, dispatch, 0, answer, endedByIt, endedOtherwise);
  }

  @Test
  void isDone_whenItEndedAJob_thoughAnotherEndedOtherwise() {
    assertThat(row(true, 2, 0).result()).isEqualTo("done");
    assertThat(row(true, 2, 0).isSuperseded()).isFalse();
    assertThat(row(true, 1, 1).result()).isEqualTo("done");
    assertThat(row(true, 1, 1).isSuperseded()).isTrue();
  }

  @Test
  void isLost_whenAllItsJobsThatEndedDidSoOtherwise() {
    assertThat(row(true, 0, 1).result()).isEqualTo("lost");
    assertThat(row(true, 0, 0).result()).isEqualTo("done");
    assertThat(row(false, 0, 1).result()).isEqualTo("lost");
    assertThat(row(false, 0, 0).result()).isEqualTo("open");
    assertThat(row(false, 0, 1).isSuperseded()).isFalse();
  }
}
