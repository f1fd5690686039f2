package dev.sluice.planning.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.planning.pipeline.StageProcess.StageMeasured;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.Pricing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is said of a plan that runs here, before and after. */
final class PipelineReportTest {
  /** Three layers of 1, 2 and 3 s; each cut takes 0.5 s. */
  private static final PlanProblem PROBLEM =
      new PlanProblem(
          List.of(1e6, 1e6, 1e6),
          List.of(500L, 500L, 500L, 500L),
          1,
          1,
          List.of(
              new DeviceType("type", List.of("a", "b", "c"), 8000, 1e9, List.of(1.0, 2.0, 3.0))));

  private static final PipelineRun.Options OPTIONS =
      new PipelineRun.Options(
          "model",
          "torch.float32",
          6,
          PROBLEM,
          Pricing.price(
                  PROBLEM,
                  List.of(new Stage(0, 0, 1, 1), new Stage(0, 1, 2, 2), new Stage(0, 2, 3, 3)))
              .plan(),
          30);

  private static final List<StageMeasured> MEASURED =
      List.of(
          new StageMeasured(9, 1.1, 0.6, 3 << 20),
          new StageMeasured(9, 2.2, 0.5, 0),
          new StageMeasured(9, 3.3, 0, 1 << 20));

  private static String text(int cores, Consumer<PipelineReport> part) {
    List<String> lines = new ArrayList<>();
    part.accept(new PipelineReport(OPTIONS, cores, (label, text) -> lines.add(label + " " + text)));
    return String.join("\n", lines);
  }

  @Test
  void saysWhatCoresAllow_whenStagesAreMoreThanCores() {
    assertThat(text(1, PipelineReport::before))
        .contains("3 stages share 1 core(s) here: at most 1.00 samples/s, of 2.00 planned");
    assertThat(text(2, PipelineReport::before)) // 6 s of computing on 2 cores
        .contains("3 stages share 2 core(s) here: at most 2.00 samples/s, of 2.00 planned");
    assertThat(text(3, PipelineReport::before)).doesNotContain("core");
  }

  @Test
  void putsWhatWasMeasuredBesideWhatWasPlanned() {
    var run = new Stages.Run(MEASURED, 7.7, 3.125, 9, 0);

    assertThat(text(4, report -> report.after(run)))
        .containsPattern("1 +a +1-1 +1000\\.0 +1100\\.0 +500\\.0 +600\\.0 +1 +3")
        .containsPattern("2 +b +2-2 +2000\\.0 +2200\\.0 +500\\.0 +500\\.0 +1 +[?]")
        .containsPattern("3 +c +3-3 +3000\\.0 +3300\\.0 +- +- +1 +1")
        .contains("2.00 samples/s predicted, 1.92 measured (-4.0 %), over 9 micro-batches")
        .contains("7000.0 ms predicted, 7700.0 measured (+10.0 %)")
        .contains("equal to the whole model's, bit for bit");
  }

  @Test
  void namesLogitsThatDiffer() {
    var run = new Stages.Run(MEASURED, 7.7, 3.125, 9, 2);

    assertThat(text(1, report -> report.after(run)))
        .contains("error: 2 of 9 micro-batches differ from the whole model's")
        .contains("1.00 samples/s predicted on 1 core(s), 1.92 measured");
  }
}
