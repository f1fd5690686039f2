package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.RecordingReader;
import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that {@code record} and {@code compare} write, and logs that are read from them. */
final class RecordIntoFilesTest {
  @TempDir private Path folder;
  private String run;

  @BeforeEach
  void simulate() {
    var simulated =
        sluice(
            "simulate",
            "../configs/emulated_accelerator.yaml",
            "--log",
            "--results",
            folder.toString(),
            "--run-id",
            "run");
    assertThat(simulated.status()).as(simulated.err()).isZero();
    run = folder.resolve("run").toString();
  }

  private static void assertWhole(Path recording) throws Exception {
    try (var reader = RecordingReader.ofRequests(recording, false)) {
      assertThat(reader.next()).isNotNull();
      do {
        assertThat(reader.loss()).isNull();
      } while (reader.next() != null);
    }
  }

  private static int recorded(String... words) {
    var done = sluice(words);
    assertThat(done.err()).isEmpty();
    return done.status();
  }

  @Test
  void aFileThatIsNoRecording_isNotReplaced() throws Exception {
    Path table = folder.resolve("run/trace.csv");
    byte[] before = Files.readAllBytes(table);
    for (String[] words :
        new String[][] {
          {"record", run, table.toString()},
          {"record", run, table.toString(), "--force"},
          {"record", "--topic", "any", "--bootstrap", "127.0.0.1:1", table.toString()}
        }) {
      sluice(words)
          .isRefused(1)
          .says(table + ": error: this file is no recording, and is not replaced.");
    }
    sluice("compare", run, folder.resolve("other").toString(), "--out", table.toString())
        .isRefused(1)
        .says(table + ": error: this file is no page of a comparison, and is not replaced.");
    assertThat(table).hasBinaryContent(before);
  }

  @Test
  void aRecordingIsReplacedByForceAlone() throws Exception {
    Path file = folder.resolve("monday.jsonl.gz");
    assertThat(recorded("record", run, file.toString())).isZero();
    byte[] before = Files.readAllBytes(file);
    sluice("record", "--whole", run, file.toString())
        .isRefused(1)
        .says(file + ": error: there is a recording already, and it is not replaced.")
        .says("  Maybe you want another name, or --force, which replaces it.");
    assertThat(file).hasBinaryContent(before);
    assertThat(recorded("record", "--whole", run, file.toString(), "--force")).isZero();
    assertThat(file).hasSameBinaryContentAs(folder.resolve("run/log.jsonl.gz"));
    sluice("record", "--whole", run, run + "/log.jsonl.gz", "--force")
        .isRefused(1)
        .says("this is the recording that is read");
  }

  @Test
  void aLinkIsFollowed_andAFifoIsWrittenInto() throws Exception {
    Path link = folder.resolve("link");
    Path target = folder.resolve("target.jsonl.gz");
    Files.createSymbolicLink(link, target);
    assertThat(recorded("record", run, link.toString())).isZero();
    assertThat(link).isSymbolicLink();
    assertWhole(target);

    Path fifo = folder.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    var read =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Files.readAllBytes(fifo);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(recorded("record", run, fifo.toString())).isZero();
    assertThat(read.get(1, TimeUnit.MINUTES)).isEqualTo(Files.readAllBytes(target));
    assertThat(Files.isRegularFile(fifo)).isFalse();
  }

  @Test
  void bytesBehindTheEndOfALog_areAFault_andAreTakenBySalvageAlone() throws Exception {
    Path log = folder.resolve("run/log.jsonl.gz");
    assertThat(sluice("check", run).status()).isZero();
    Files.write(log, new byte[] {'x'}, StandardOpenOption.APPEND);
    var checked = sluice("check", run);
    assertThat(checked.status()).isEqualTo(ExitStatus.FAULTS);
    assertThat(checked.out()).contains("log.jsonl.gz").contains("there are bytes behind its end");
    sluice("record", run, folder.resolve("new").toString())
        .isRefused(1)
        .says(log + ": error: there are bytes behind the end of the recording.");
    var salvaged = sluice("record", "--salvage", run, folder.resolve("new").toString());
    assertThat(salvaged.out()).contains("bytes behind the end of the recording were left out");
    assertWhole(folder.resolve("new"));
  }
}
