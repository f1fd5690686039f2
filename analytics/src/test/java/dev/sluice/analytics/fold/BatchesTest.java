package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.row.Batches;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What became of a dispatch of two jobs. */
final class BatchesTest {
  private static final DispatchId ID = new DispatchId(7, 0);

  private static Batches batches(boolean answered, int endedByIt, int endedOtherwise) {
    var fold = new RunFold();
    var jobs = List.of("a", "job-1");
    fold.onDispatch(
        new BatchDispatched(
            ID,
            new Place("e", 1, List.of(0)),
            Work.firstAttempt(
                new ModelKey("resnet18", "onnx", "fp32"),
                jobs.stream().map(id -> new DispatchedJob(id, 1)).toList(),
                88),
            Decision.at(0),
            Prediction.ofMean(1, "running_mean", 1)),
        0,
        0);
    if (answered) {
      fold.onFact(BatchCompleted.done(ID, "e", 1, 0, 5, 10, 1), 0, 20);
    }
    for (int i = 0; i < endedByIt + endedOtherwise; i++) {
      DispatchId by = i < endedByIt ? ID : new DispatchId(9, 0);
      fold.onOutcome(new JobEnded(jobs.get(i), JobEnded.Status.DONE, null, by, 1, 10), 0, 21);
    }
    return fold.rows(SyntheticRun.context(SyntheticRun.experiment(2.5, 1, 3, 2, Map.of())))
        .batches();
  }

  private static String result(boolean answered, int endedByIt, int endedOtherwise) {
    Batches batches = batches(answered, endedByIt, endedOtherwise);
    assertThat(batches.all()).hasSize(1);
    return batches.all().get(0).result();
  }

  private static boolean isSuperseded(boolean answered, int endedByIt, int endedOtherwise) {
    Batches batches = batches(answered, endedByIt, endedOtherwise);
    return batches.all().get(0).isSuperseded();
  }

  @Test
  void isDone_whenItEndedAJob_thoughAnotherEndedOtherwise() {
    assertThat(result(true, 2, 0)).isEqualTo("done");
    assertThat(isSuperseded(true, 2, 0)).isFalse();
    assertThat(result(true, 1, 1)).isEqualTo("done");
    assertThat(isSuperseded(true, 1, 1)).isTrue();
  }

  @Test
  void isLost_whenAllItsJobsThatEndedDidSoOtherwise() {
    assertThat(result(true, 0, 1)).isEqualTo("lost");
    assertThat(result(true, 0, 0)).isEqualTo("done");
    assertThat(result(false, 0, 1)).isEqualTo("lost");
    assertThat(result(false, 0, 0)).isEqualTo("open");
    assertThat(isSuperseded(false, 0, 1)).isFalse();
  }
}
