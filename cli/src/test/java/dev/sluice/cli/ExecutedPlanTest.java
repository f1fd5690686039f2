package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.machine.Console;
import dev.sluice.planning.pipeline.PipelineRun;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.Pricing;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Plans that run here, in processes of their own. */
@Tag("loop")
final class ExecutedPlanTest {
  private static final int LAYERS = 48;
  private static final int BATCH = 2;

  private final List<ProcessHandle> before = ProcessHandle.current().children().toList();

  @Test
  void twoStages_giveTheWholeModelsLogits() throws Exception {
    var printed = new Printed("no such line");

    int status = new PipelineRun(options("vit_tiny", 2, 1e9, 24), printed.console()).execute();

    assertThat(printed.text())
        .contains("vit_tiny in 2 stages here")
        .contains("a ", "1-24", "b ", "25-48", "samples/s predicted")
        .contains("equal to the whole model's, bit for bit, in all micro-batches");
    assertThat(status).isZero();
    assertThat(stages()).isEmpty();
  }

  @Test
  void manyStagesWithoutBuffers_overASlowLink_giveTheWholeModelsLogits() throws Exception {
    var printed = new Printed("no such line");

    int status =
        new PipelineRun(options("vit_tiny", 0, 5e7, 1, 3, 47), printed.console()).execute();

    assertThat(printed.text())
        .contains("vit_tiny in 4 stages here", "2-3", "48-48")
        .contains("equal to the whole model's, bit for bit");
    assertThat(status).isZero();
    assertThat(stages()).isEmpty();
  }

  @Test
  void aStageThatDies_endsTheRunByItsName() throws Exception {
    var printed = new Printed("loaded and warmed up");
    PipelineRun.Options options = options("vit_tiny", 2, 1e9, 24);
    var endless =
        new PipelineRun.Options(
            options.model(), options.dtype(), BATCH, options.problem(), options.plan(), 80_000);
    var run = new FutureTask<>(() -> new PipelineRun(endless, printed.console()).execute());
    new Thread(run, "plan").start();

    printed.awaitLine();
    List<ProcessHandle> stages = stages();
    assertThat(stages).hasSize(2);
    assertThat(stages.get(1).destroyForcibly()).isTrue();

    assertThat(run.get(3, TimeUnit.MINUTES)).isEqualTo(1);
    assertThat(printed.text())
        .contains("error: stage 2 (layers 25 to 48, for host b) died: ended by signal 9");
    assertThat(stages()).isEmpty();
  }

  @Test
  void refusesWhatCannotRunHere() {
    assertThatThrownBy(() -> execute(options("resnet19", 2, 1e9, 24)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("(resnet19) has no layers that run here")
        .hasMessageContaining("resnet18");
    assertThatThrownBy(() -> execute(options("resnet18", 2, 1e9, 24)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("gives resnet18 (48) layers, and the network resnet18 here has (10)");
    assertThatThrownBy(() -> execute(options("vit", 2, 1e9, 24)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("bytes behind layer 24");
  }

  private static void execute(PipelineRun.Options options) throws Exception {
    int unused = new PipelineRun(options, new Printed("no such line").console()).execute();
  }

  /** A plan of the layers of vit_tiny, cut behind some, on one host for each stage. */
  private static PipelineRun.Options options(
      String model, int buffers, double bitsPerSecond, int... lastLayers) {
    Network network = Workloads.network("vit_tiny");
    List<String> hosts = List.of("a", "b", "c", "d").subList(0, lastLayers.length + 1);
    var problem =
        new PlanProblem(
            Collections.nCopies(LAYERS, 1e6),
            IntStream.rangeClosed(0, LAYERS)
                .mapToObj(cut -> 4L * BATCH * network.elementsBehind(cut))
                .toList(),
            buffers,
            buffers,
            List.of(
                new DeviceType(
                    "here", hosts, bitsPerSecond, 4e9, Collections.nCopies(LAYERS, 0.001))));
    List<Stage> stages = new ArrayList<>();
    for (int i = 0; i <= lastLayers.length; i++) {
      stages.add(
          new Stage(
              0,
              i,
              i == 0 ? 1 : lastLayers[i - 1] + 1,
              i == lastLayers.length ? LAYERS : lastLayers[i]));
    }
    return new PipelineRun.Options(
        model, "torch.float32", BATCH, problem, Pricing.price(problem, stages).plan(), 1);
  }

  /** Processes that this process has started since the test began and that still run, by age. */
  private List<ProcessHandle> stages() {
    return ProcessHandle.current()
        .children()
        .filter(child -> child.isAlive() && !before.contains(child))
        .sorted()
        .toList();
  }

  /** What a console prints, which tells of one line. */
  private static final class Printed {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CountDownLatch seen = new CountDownLatch(1);
    private final String awaited;

    Printed(String awaited) {
      this.awaited = awaited;
    }

    Console console() {
      OutputStream out =
          new OutputStream() {
            @Override
            public void write(int b) {
              write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) {
              bytes.write(from, offset, length);
              if (text().contains(awaited)) {
                seen.countDown();
              }
            }
          };
      return new Console(new PrintStream(out, true, StandardCharsets.UTF_8), false);
    }

    void awaitLine() throws InterruptedException {
      seen.await();
    }

    String text() {
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }
}
