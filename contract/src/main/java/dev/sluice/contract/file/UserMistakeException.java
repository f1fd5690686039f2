package dev.sluice.contract.file;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All mistakes of a user that were found in a file or on the command line. Each is printed as
 * {@code file:line: error: what (value).} and, on a line of its own, what to try; the command then
 * exits 2. Bugs are unchecked exceptions instead.
 */
public final class UserMistakeException extends Exception {
  private final List<Problem> problems;

  /** One mistake; see {@link Problem}. */
  public UserMistakeException(String location, String what, String maybe) {
    this(location, what, maybe, null);
  }

  /** One mistake, at a place in a file. */
  public UserMistakeException(Place place, String what, String maybe) {
    this(place.toString(), what, maybe, null);
  }

  /**
   * One mistake, and the exception that revealed it.
   *
   * @param cause for the log; null: none
   */
  public UserMistakeException(
      String location, String what, String maybe, @Nullable Throwable cause) {
    this(List.of(new Problem(location, what, maybe)), cause);
  }

  /**
   * @param problems at least one, in the order in which they are printed
   */
  public UserMistakeException(List<Problem> problems) {
    this(problems, null);
  }

  private UserMistakeException(List<Problem> problems, @Nullable Throwable cause) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")), cause);
    if (problems.isEmpty()) {
      throw new IllegalArgumentException("a user's mistake has a problem");
    }
    this.problems = List.copyOf(problems);
  }

  /** The mistakes, in the order in which they are printed. */
  public List<Problem> problems() {
    return problems;
  }

  /**
   * The reason why a file or folder cannot be used, in words, by the system, {@code permission
   * denied}, or by a reader. Of JSON, the words are Sluice's own, with the line and the column.
   */
  public static String reason(Exception e) {
    if (e instanceof UncheckedIOException && e.getCause() instanceof IOException cause) {
      return reason(cause);
    }
    if (e instanceof JsonProcessingException malformed) {
      return JsonFault.words(malformed);
    }
    if (e instanceof EOFException) {
      return "it ends too early";
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NotDirectoryException) {
      return "this is no folder";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "a file of that name stands there";
    }
    String words = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return words == null || words.isEmpty()
        ? e.getClass().getSimpleName()
        : words.substring(0, 1).toLowerCase(Locale.ROOT) + words.substring(1);
  }

  /**
   * One mistake.
   *
   * @param location {@code file:line}, or the file alone where no line is to blame, or the option,
   *     as in {@code --set key=value}
   * @param what mistake, with values in (brackets), without a full stop
   * @param maybe advice, without the word Maybe and without a full stop
   */
  public record Problem(String location, String what, String maybe) {
    private static final int LETTERS_MAX = 4000;

    /** Whatever a value holds, a problem stays two lines that can be read. */
    public Problem {
      location = Written.shortened(location, LETTERS_MAX);
      what = Written.sentence(what);
      maybe = Written.shortened(maybe, LETTERS_MAX);
    }

    @Override
    public String toString() {
      return location + ": error: " + what + ".\n  Maybe " + maybe + ".";
    }
  }
}
