package dev.sluice.planning.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.log.Pacer;
import dev.sluice.executor.model.LayerModule;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.Supervisor;
import dev.sluice.planning.pipeline.PacedLink.Frames;
import dev.sluice.planning.pipeline.PacedLink.Loopback;
import dev.sluice.planning.pipeline.StageProcess.StageMeasured;
import dev.sluice.planning.pipeline.WholeLogits.MicroBatches;
import dev.sluice.planning.split.Plan.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The processes of a plan's stages, and the end of their stream, which is here. */
final class Stages implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LOOK_NS = 50_000_000;
  private static final int LOOKS_WITHOUT_ANY_MAX = 100;
  private static final int HEAP_MB = 192;
  private static final int SIGNAL_BASE = 128;

  /** Fewest micro-batches that give a throughput. */
  private static final int MICRO_BATCHES_MIN = 3;

  private final PipelineRun.Options options;
  private final String network;
  private final Console console;
  private final BooleanSupplier stopped;
  private final Supervisor supervisor;
  private final ServerSocketChannel listening;
  private final String word = HexFormat.of().formatHex(new SecureRandom().generateSeed(16));
  private final Pacer pacer = MachineClock.pacer();
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /** Moments at which micro-batches arrived; guarded by itself. */
  private final List<Long> arrivedNs = new ArrayList<>();

  /** Times in a row at which no stage ran; of the thread that waits. */
  private int looksWithoutAny;

  private final AtomicInteger unequal = new AtomicInteger();
  private volatile @Nullable List<StageMeasured> end;

  /**
   * What was measured.
   *
   * @param latencySeconds time of the first micro-batch through all stages, which were idle
   * @param secondsPerMicroBatch time from one arrival at the end to the next, until the stream was
   *     told to end
   * @param microBatches number that arrived
   * @param unequal number of them whose logits differ from the whole model's
   */
  record Run(
      List<StageMeasured> stages,
      double latencySeconds,
      double secondsPerMicroBatch,
      int microBatches,
      int unequal) {}

  /**
   * @param stopped true once a person wants the run to end
   */
  Stages(
      PipelineRun.Options options,
      String network,
      Path temporary,
      Console console,
      BooleanSupplier stopped)
      throws IOException {
    this.options = options;
    this.network = network;
    this.console = console;
    this.stopped = stopped;
    this.listening = Loopback.listen();
    this.supervisor = new Supervisor(temporary, temporary, this::ended);
  }

  /**
   * Starts the stages, lets micro-batches through for the time asked for, and waits for the last.
   *
   * @param logits logits of the different micro-batches
   */
  Run run(List<ByteBuffer> logits)
      throws RoleFailedException, StoppedException, IOException, InterruptedException {
    long beganNs = MachineClock.monotonicNs();
    List<ChildProcess> children = new ArrayList<>();
    for (int i = 0; i < options.stages(); i++) {
      children.add(supervisor.start(spec(i)));
    }
    List<String> ports = new ArrayList<>();
    for (ChildProcess child : children) {
      String port = child.upAs();
      while (port == null) {
        lookAgain();
        port = child.upAs();
      }
      ports.add(port);
    }
    ports.add(Integer.toString(Loopback.port(listening)));
    console.item(
        "stages",
        String.format(
            Locale.ROOT,
            "%d loaded and warmed up in %.1f s",
            children.size(),
            (MachineClock.monotonicNs() - beganNs) / 1e9));
    var sink = new Thread(() -> sink(logits), "sluice-sink");
    sink.setDaemon(true);
    sink.start();
    for (int i = 0; i < children.size(); i++) {
      tell(children.get(i), StageProcess.LINK + " " + ports.get(i + 1) + " " + word);
    }
    return streamed(children.get(0));
  }

  private Run streamed(ChildProcess first)
      throws RoleFailedException, StoppedException, IOException, InterruptedException {
    long beganNs = MachineClock.monotonicNs();
    tell(first, StageProcess.GO);
    long endNs = beganNs + Math.round(options.seconds() * 1e9);
    while (MachineClock.monotonicNs() < endNs || arrivals().size() < MICRO_BATCHES_MIN) {
      progress((MachineClock.monotonicNs() - beganNs) / 1e9);
      lookAgain();
    }
    tell(first, StageProcess.STOP);
    List<Long> measured = arrivals();
    List<StageMeasured> told = end;
    while (told == null) {
      lookAgain();
      told = end;
    }
    supervisor.children().forEach(ChildProcess::expectEnd);
    console.clearLiveLine();
    return new Run(
        told,
        (measured.get(0) - beganNs) / 1e9,
        (measured.get(measured.size() - 1) - measured.get(0)) / 1e9 / (measured.size() - 1),
        arrivals().size(),
        unequal.get());
  }

  private void progress(double seconds) {
    console.progress(
        "running",
        String.format(
            Locale.ROOT,
            "%.0f of %.0f s, %d micro-batches",
            seconds,
            options.seconds(),
            arrivals().size()));
  }

  private ChildProcess.Spec spec(int index) {
    Stage stage = options.stage(index);
    long bytesIn = options.problem().cutBytes().get(stage.firstLayer() - 1);
    long bytesOut = options.problem().cutBytes().get(stage.lastLayer());
    long direct =
        (MicroBatches.DIFFERENT + options.problem().buffersIn() + 1) * bytesIn
            + (options.problem().buffersOut() + 1) * bytesOut;
    List<String> arguments =
        List.of(
            "stage",
            "--model",
            network,
            "--first",
            Integer.toString(stage.firstLayer()),
            "--last",
            Integer.toString(stage.lastLayer()),
            "--samples",
            Integer.toString(options.batchSize()),
            "--buffers-in",
            Integer.toString(options.problem().buffersIn()),
            "--buffers-out",
            Integer.toString(options.problem().buffersOut()),
            "--bits-per-second",
            Double.toString(options.bitsPerSecond(index)));
    return new ChildProcess.Spec(
        "stage-" + (index + 1),
        false,
        HEAP_MB,
        HEAP_MB + (int) (direct >> 20),
        arguments,
        arguments,
        0);
  }

  private void sink(List<ByteBuffer> logits) {
    try (SocketChannel up = Loopback.accept(listening, word)) {
      var frames = new Frames(up);
      ByteBuffer got = LayerModule.buffer(logits.get(0).capacity());
      for (long number = frames.next(); number != PacedLink.END; number = frames.next()) {
        frames.readInto(got);
        synchronized (arrivedNs) {
          arrivedNs.add(MachineClock.monotonicNs());
        }
        if (!got.equals(logits.get(MicroBatches.indexOf(number)))) {
          unequal.incrementAndGet();
        }
      }
      end = List.of(JSON.readValue(frames.readEnd(), StageMeasured[].class));
    } catch (IOException e) {
      // the last stage is gone; its end tells why
    }
  }

  private List<Long> arrivals() {
    synchronized (arrivedNs) {
      return List.copyOf(arrivedNs);
    }
  }

  /** Waits a moment; throws what happened meanwhile. */
  private void lookAgain() throws RoleFailedException, StoppedException, InterruptedException {
    pacer.awaitNs(MachineClock.monotonicNs() + LOOK_NS);
    String failed = failure.get();
    if (failed != null) {
      throw new RoleFailedException(failed, null);
    }
    if (stopped.getAsBoolean()) {
      throw new StoppedException();
    }
    boolean over = end != null || supervisor.children().stream().anyMatch(ChildProcess::isAlive);
    looksWithoutAny = over ? 0 : looksWithoutAny + 1;
    if (looksWithoutAny > LOOKS_WITHOUT_ANY_MAX) {
      throw new RoleFailedException("all stages ended before the stream did", null);
    }
  }

  private void tell(ChildProcess child, String line)
      throws RoleFailedException, StoppedException, InterruptedException {
    try {
      child.tell(line);
    } catch (UncheckedIOException e) {
      while (true) {
        lookAgain(); // until its end is known
      }
    }
  }

  /** Keeps why the first stage died. */
  private void ended(ChildProcess child, int status) {
    if (status == 0 || status == StageProcess.NEIGHBOUR_GONE) {
      return;
    }
    int index = Integer.parseInt(child.name().replaceAll("\\D", "")) - 1;
    Stage stage = options.stage(index);
    List<String> said = child.lastError();
    failure.compareAndSet(
        null,
        "stage %d (layers %d to %d, for host %s) died: %s%s"
            .formatted(
                index + 1,
                stage.firstLayer(),
                stage.lastLayer(),
                options.host(index),
                words(status),
                said.isEmpty() ? "" : "; " + lastLineOrNothing(child.output())));
  }

  /** An exit status in words. */
  static String words(int status) {
    return status > SIGNAL_BASE
        ? "ended by signal " + (status - SIGNAL_BASE)
        : "exit status " + status;
  }

  private static String lastLineOrNothing(Path file) {
    try {
      return LayerProbe.lastLine(file);
    } catch (IOException e) {
      return UncheckedIOException.class.getSimpleName() + " " + e.getMessage();
    }
  }

  /** Ends all stages that still run. */
  @Override
  public void close() throws IOException {
    supervisor.close();
    listening.close();
  }
}
