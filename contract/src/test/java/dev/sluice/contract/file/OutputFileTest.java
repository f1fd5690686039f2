package dev.sluice.contract.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that commands write where a person named them. */
final class OutputFileTest {
  private static final OutputFile.Kind PAGE = OutputFile.Kind.madeAgain("page", bytes("page"));
  private static final OutputFile.Kind KEPT =
      new OutputFile.Kind("recording", true, file -> Files.readString(file).startsWith("rec"));

  @TempDir private Path folder;

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static void assertRefused(Path file, OutputFile.Kind kind, String what) {
    assertThatThrownBy(() -> OutputFile.check(file, kind, false))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(file + ": error: " + what)
        .hasMessageContaining("\n  Maybe you ");
  }

  @Test
  void aFileOfAnotherKind_isNotReplaced_evenByForce() throws Exception {
    Path table = file("trace.csv", "job_id\n");
    assertRefused(table, PAGE, "this file is no page, and is not replaced.");
    assertRefused(table, KEPT, "this file is no recording, and is not replaced.");
    assertThatThrownBy(() -> OutputFile.check(table, KEPT, true))
        .isInstanceOf(UserMistakeException.class);
    assertRefused(folder, KEPT, "this is a folder, and a file is to be written.");
  }

  @Test
  void aKeptFileIsReplacedByForceAlone_andOneThatIsMadeAgainWithoutIt() throws Exception {
    Path kept = file("kept", "recorded");
    assertRefused(kept, KEPT, "there is a recording already, and it is not replaced.");
    assertThatCode(() -> OutputFile.check(kept, KEPT, true)).doesNotThrowAnyException();
    Path page = file("page", "page 1");
    assertThatCode(() -> OutputFile.check(page, PAGE, false)).doesNotThrowAnyException();
  }

  @Test
  void anEmptyFileAndOneThatIsNotThere_areOfAnyKind() throws Exception {
    Path empty = file("empty", "");
    assertThatCode(() -> OutputFile.check(empty, KEPT, false)).doesNotThrowAnyException();
    Path none = folder.resolve("none");
    assertThatCode(() -> OutputFile.check(none, KEPT, false)).doesNotThrowAnyException();
  }

  @Test
  void aLinkIsJudgedByTheFileThatItLeadsTo() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), file("trace.csv", "job_id\n"));
    assertRefused(link, PAGE, "this file is no page");
  }

  @Test
  void aRegularFileStaysAsItWas_untilTheNewOneIsWhole() throws Exception {
    Path file = file("page", "page 1");
    try (OutputFile output = OutputFile.begin(file)) {
      output.stream().write(bytes("page 2"));
      assertThat(file).hasContent("page 1");
    }
    assertThat(file).hasContent("page 1");
    assertThat(folder.toFile().list()).containsExactly("page");
    OutputFile.write(file, bytes("page 3"));
    assertThat(file).hasContent("page 3");
    assertThat(folder.toFile().list()).containsExactly("page");
  }

  @Test
  void aLinkIsFollowed_alsoOverOthers_andToAFileThatIsNotThereYet() throws Exception {
    Path target = folder.resolve("target");
    Path inner = Files.createSymbolicLink(folder.resolve("inner"), Path.of("target"));
    Path outer = Files.createSymbolicLink(folder.resolve("outer"), inner);
    for (String text : new String[] {"first", "second"}) {
      OutputFile.write(outer, bytes(text));
      assertThat(target).hasContent(text);
    }
    assertThat(outer).isSymbolicLink();
    assertThat(inner).isSymbolicLink();
    Path loop = folder.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    assertThatThrownBy(() -> OutputFile.write(loop, bytes("x"))).isInstanceOf(IOException.class);
  }

  @Test
  void whatIsNoRegularFile_isWrittenIntoAndStays_asAFifoDoes() throws Exception {
    Path fifo = folder.resolve("fifo");
    Path link = Files.createSymbolicLink(folder.resolve("link"), fifo);
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    var read =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Files.readString(fifo);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    OutputFile.check(link, KEPT, false);
    OutputFile.write(link, bytes("through"));
    assertThat(read.get(1, TimeUnit.MINUTES)).isEqualTo("through");
    assertThat(Files.isRegularFile(fifo)).isFalse();
    assertThat(link).isSymbolicLink();
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("fifo", "link");
  }
}
