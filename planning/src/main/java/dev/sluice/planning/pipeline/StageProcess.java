package dev.sluice.planning.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.LowerMedian;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.LayerModule;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.News;
import dev.sluice.harness.process.ParentWatch;
import dev.sluice.harness.process.Signals;
import dev.sluice.planning.pipeline.PacedLink.Frames;
import dev.sluice.planning.pipeline.PacedLink.Loopback;
import dev.sluice.planning.pipeline.WholeLogits.MicroBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A stage as a process of its own: one thread computes, one receives, one sends. It tells the port
 * that it listens at, is told the port that it sends to, and ends with the stream.
 */
public final class StageProcess {
  /** Exit status of a stage that lost a neighbour, which has died itself and says why. */
  static final int NEIGHBOUR_GONE = 75;

  /** Line by which a stage is told the port behind it and the run's word. */
  static final String LINK = "link";

  /** Line by which the first stage is told to begin. */
  static final String GO = "go";

  /** Line by which the first stage is told that no micro-batch follows. */
  static final String STOP = "stop";

  private static final int WARM_UP_RUNS = 3;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Options options;
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private volatile boolean stopped;

  private final BlockingQueue<ByteBuffer> inFree = new LinkedBlockingQueue<>();
  private final BlockingQueue<Frame> inReady = new LinkedBlockingQueue<>();
  private final BlockingQueue<ByteBuffer> outFree = new LinkedBlockingQueue<>();
  private final BlockingQueue<Frame> outReady = new LinkedBlockingQueue<>();
  private final List<Long> computeNs = new ArrayList<>();
  private final List<Long> transferNs = new ArrayList<>();

  /**
   * Options of a stage.
   *
   * @param buffersIn buffers for what came in and waits
   * @param buffersOut buffers for what waits to go out or goes out
   * @param bitsPerSecond bandwidth of the link behind the stage; infinite behind the last
   */
  public record Options(
      String model,
      int firstLayer,
      int lastLayer,
      int samples,
      int buffersIn,
      int buffersOut,
      double bitsPerSecond) {}

  /**
   * A micro-batch in a buffer, or the end of the stream.
   *
   * @param end what the stages so far tell at their end; null: a micro-batch follows
   */
  private record Frame(long number, ByteBuffer bytes, @Nullable List<StageMeasured> end) {}

  public StageProcess(Options options) {
    this.options = options;
  }

  /** Computes until the stream ends, and returns the exit status. */
  public int execute()
      throws UserMistakeException, IOException, InferenceException, InterruptedException {
    Runtime runtime = Runtime.getRuntime();
    ParentWatch.start(this::take, () -> runtime.halt(ExitStatus.BUG));
    Network network = Workloads.network(options.model());
    var cache = ModelCache.ofUser();
    Engines engines = Engines.prepare(1, cache);
    engines.start("pytorch");
    long beforeBytes = LayerProbe.residentBytes();
    try (var signals = Signals.listenAsChild(() -> runtime.halt(ExitStatus.BUG), () -> {});
        LayerModule module =
            LayerModule.load(
                network.layers(options.firstLayer(), options.lastLayer()),
                engines,
                Path.of(System.getProperty("java.io.tmpdir")));
        LayerModule.Session session = module.session();
        ServerSocketChannel listening = Loopback.listen()) {
      boolean first = options.firstLayer() == 1;
      if (first) {
        inFree.addAll(MicroBatches.inputs(network, options.samples()));
      } else {
        addBuffers(inFree, options.buffersIn(), module.inputBytes(options.samples()));
      }
      addBuffers(outFree, options.buffersOut(), module.outputBytes(options.samples()));
      warmUp(session);
      News.up(Integer.toString(Loopback.port(listening)));
      String[] link = told.take().split(" ", -1);
      String word = link[2];
      try (SocketChannel down = Loopback.connect(Integer.parseInt(link[1]), word)) {
        Thread sender = begin("sluice-send", () -> send(down));
        if (first) {
          begin("sluice-source", this::source);
        } else {
          SocketChannel up = Loopback.accept(listening, word);
          begin("sluice-receive", () -> receive(up));
        }
        compute(session, beforeBytes);
        sender.join();
      }
    }
    return ExitStatus.DONE;
  }

  private void take(String line) {
    if (line.equals(STOP)) {
      stopped = true;
    } else {
      told.add(line);
    }
  }

  private static void addBuffers(BlockingQueue<ByteBuffer> free, int waiting, int bytes) {
    for (int i = 0; i <= waiting; i++) { // and the one at work
      free.add(LayerModule.buffer(bytes));
    }
  }

  private void warmUp(LayerModule.Session session) throws InferenceException {
    ByteBuffer in = inFree.element();
    ByteBuffer out = outFree.element();
    for (int run = 0; run < WARM_UP_RUNS; run++) {
      session.compute(in, options.samples(), out);
    }
  }

  /** A thread's work that touches a neighbour. */
  private interface Linked {
    void run() throws IOException, InterruptedException;
  }

  private static Thread begin(String name, Linked work) {
    var thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException e) {
                System.err.println(name + ": " + e);
                Runtime.getRuntime().halt(NEIGHBOUR_GONE);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Hands the same inputs to the first stage, over and over, until it is told to stop. */
  private void source() throws InterruptedException {
    String unused = told.take();
    List<ByteBuffer> inputs = new ArrayList<>(inFree);
    inFree.clear();
    for (long number = 0; !stopped; number++) {
      ByteBuffer input = inputs.get(MicroBatches.indexOf(number));
      inReady.add(new Frame(number, input, null));
      inFree.take(); // its layers are computed
    }
    inReady.add(new Frame(PacedLink.END, inputs.get(0), List.of()));
  }

  private void receive(SocketChannel up) throws IOException, InterruptedException {
    var frames = new Frames(up);
    while (true) {
      long number = frames.next();
      if (number == PacedLink.END) {
        inReady.add(
            new Frame(
                number,
                ByteBuffer.allocate(0),
                Arrays.asList(JSON.readValue(frames.readEnd(), StageMeasured[].class))));
        return;
      }
      ByteBuffer free = inFree.take();
      frames.readInto(free);
      inReady.add(new Frame(number, free, null));
    }
  }

  private void compute(LayerModule.Session session, long beforeBytes)
      throws InferenceException, InterruptedException, IOException {
    while (true) {
      Frame in = inReady.take();
      List<StageMeasured> before = in.end();
      if (before != null) {
        List<StageMeasured> end = new ArrayList<>(before);
        end.add(
            new StageMeasured(
                computeNs.size(),
                seconds(computeNs),
                0,
                Math.max(0, LayerProbe.residentBytes() - beforeBytes)));
        outReady.add(new Frame(in.number(), in.bytes(), end));
        return;
      }
      ByteBuffer out = outFree.take();
      long beganNs = MachineClock.monotonicNs();
      session.compute(in.bytes(), options.samples(), out);
      computeNs.add(MachineClock.monotonicNs() - beganNs);
      inFree.add(in.bytes());
      outReady.add(new Frame(in.number(), out, null));
    }
  }

  private void send(SocketChannel down) throws IOException, InterruptedException {
    var link =
        new PacedLink(
            down, options.bitsPerSecond(), MachineClock::monotonicNs, MachineClock.pacer());
    while (true) {
      Frame out = outReady.take();
      List<StageMeasured> ends = out.end();
      if (ends != null) {
        StageMeasured own = ends.get(ends.size() - 1);
        ends.set(
            ends.size() - 1,
            new StageMeasured(
                own.microBatches(), own.computeSeconds(), seconds(transferNs), own.memoryBytes()));
        link.sendNs(PacedLink.END, ByteBuffer.wrap(JSON.writeValueAsBytes(ends)));
        return;
      }
      transferNs.add(link.sendNs(out.number(), out.bytes()));
      outFree.add(out.bytes());
    }
  }

  private static double seconds(List<Long> ns) {
    return ns.isEmpty() ? 0 : LowerMedian.of(ns) / 1e9;
  }

  /**
   * What a stage tells at its end.
   *
   * @param microBatches number that it computed
   * @param computeSeconds median time of the layers on a micro-batch
   * @param transferSeconds median time for which the link behind the stage was busy with a
   *     micro-batch
   * @param memoryBytes memory by which its process grew from before its layers were loaded; 0 where
   *     the system does not tell
   */
  record StageMeasured(
      long microBatches, double computeSeconds, double transferSeconds, long memoryBytes) {}
}
