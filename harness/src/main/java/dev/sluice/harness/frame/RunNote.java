package dev.sluice.harness.frame;

import dev.sluice.analytics.row.FolderFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a person wrote of a run: one text, beside its other files. */
public final class RunNote {
  private RunNote() {}

  /** Writes a run's note, if it is not null. */
  public static void write(Path folder, @Nullable String note) throws IOException {
    if (note != null) {
      Files.writeString(folder.resolve(FolderFiles.NOTE), note.strip() + "\n");
    }
  }

  public static Optional<String> read(Path folder) throws IOException {
    Path file = folder.resolve(FolderFiles.NOTE);
    return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
  }
}
