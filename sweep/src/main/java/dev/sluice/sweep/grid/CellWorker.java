package dev.sluice.sweep.grid;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.process.ParentWatch;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.harness.simulate.LostThresholdException;
import dev.sluice.harness.simulate.QuietSimulation;
import dev.sluice.sweep.queue.Attempt;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main of the process that simulates cells, several at a time: a simulation takes less than the
 * start of a JVM. To each cell it is what a keeper's shell is to a command: it claims the attempt,
 * leaves its exit status, and holds its pipe open meanwhile. Orders come by standard input; when
 * that ends, the process ends with the cells that it has claimed.
 */
public final class CellWorker {
  private static final Logger LOG = LoggerFactory.getLogger(CellWorker.class);

  private final Path base;
  private final Path cells;
  private final ProcessIdentity own;

  private CellWorker(Path base, Path cells) throws IOException {
    this.base = base;
    this.cells = cells;
    this.own = ProcessIdentity.ofThis();
  }

  /** Arguments: the base, the folder of all cells, the number of cells at a time. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    var worker = new CellWorker(Path.of(arguments[0]), Path.of(arguments[1]));
    ExecutorService threads = Executors.newFixedThreadPool(Integer.parseInt(arguments[2]));
    var ended = new CountDownLatch(1);
    ParentWatch.start(
        line -> threads.execute(() -> worker.keep(CellOrder.parse(line))), ended::countDown);
    ended.await();
    threads.shutdown();
    while (!threads.awaitTermination(1, TimeUnit.HOURS)) {
      LOG.info("a cell goes on");
    }
  }

  private void keep(CellOrder order) {
    Attempt attempt = Attempt.of(order.attempt());
    try (FileChannel pipe =
        FileChannel.open(attempt.fifo(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (!attempt.claim(own)) {
        return; // a scheduler has taken the attempt back
      }
      tell(pipe, "claimed\n");
      int status = run(order);
      tell(pipe, "ended " + status + "\n");
      attempt.leave(status);
    } catch (NoSuchFileException e) {
      LOG.debug("attempt {} was taken back", order.attempt());
    } catch (IOException e) {
      LOG.error("attempt {} cannot be kept", order.attempt(), e);
    }
  }

  private static void tell(FileChannel pipe, String line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
    while (bytes.hasRemaining()) {
      int unused = pipe.write(bytes);
    }
  }

  /** Simulates a cell; its log says why it failed. */
  private int run(CellOrder order) throws IOException {
    try (var log =
        new PrintStream(
            Files.newOutputStream(
                Path.of(order.log()), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            true,
            StandardCharsets.UTF_8)) {
      log.println(order.stamp());
      try {
        var parsed = ExperimentFile.read(base, order.overrides(), Registries.vocabulary());
        int status = new QuietSimulation(parsed).write(cells, order.cell());
        if (status == ExitStatus.BUG) {
          log.println("the simulation is not whole; its figures say why");
        }
        return status;
      } catch (UserMistakeException e) {
        log.println(e.getMessage());
        return ExitStatus.MISTAKE;
      } catch (LostThresholdException e) {
        log.println("ended early: " + e.getMessage());
        return ExitStatus.BUG; // it has no figures
      } catch (IOException | RuntimeException | Error e) {
        e.printStackTrace(log);
        return ExitStatus.BUG;
      }
    }
  }
}
