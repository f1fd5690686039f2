package dev.sluice.contract.file;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
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
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All mistakes of a user that were found in a file or on the command line. Each is printed as
 * {@code file:line: error: what (value).} and, on a line of its own, what to try; the command then
 * exits 2. Bugs are unchecked exceptions instead.
 */
public final class UserMistakeException extends Exception {
  private static final Map<Class<?>, String> REASONS =
      Map.of(
          EOFException.class, "it ends too early",
          NoSuchFileException.class, "no such file or folder",
          AccessDeniedException.class, "permission denied",
          NotDirectoryException.class, "this is no folder",
          FileAlreadyExistsException.class, "a file of that name stands there");

  private final List<Problem> problems;

  public UserMistakeException(String location, String what, String maybe) {
    this(location, what, maybe, null);
  }

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

  /** Throws one mistake if a condition holds; see {@link Problem}. */
  public static void throwIf(boolean wrong, String location, String what, String maybe)
      throws UserMistakeException {
    if (wrong) {
      throw new UserMistakeException(location, what, maybe);
    }
  }

  /** Throws all mistakes that were found, if there are any, in their order. */
  public static void throwIfAny(List<Problem> problems) throws UserMistakeException {
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
  }

  /** The mistake of a file that is there, and cannot be read. */
  public static UserMistakeException unreadable(String file, IOException e) {
    return e instanceof AccessDeniedException
        ? new UserMistakeException(
            file, "the file may not be read", "its permissions should be changed", e)
        : new UserMistakeException(
            file, "the file cannot be read (" + reason(e) + ")", "another file was meant", e);
  }

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
    for (Map.Entry<Class<?>, String> reason : REASONS.entrySet()) {
      if (reason.getKey().isInstance(e)) {
        return reason.getValue();
      }
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

  /**
   * A person's words for JSON that cannot be read. Those of the library name its classes and
   * switches, and the place where a bracket began; none of them is passed on.
   */
  private static final class JsonFault {
    /** Sentences of the library by how they begin, with what is said instead. */
    private static final List<Known> KNOWN =
        List.of(
            new Known("Unexpected character \\('(.+?)' \\(code.*", "unexpected character ($1)"),
            new Known(
                "(?:Unexpected|Illegal) character \\(\\(CTRL-CHAR, code (\\d+)\\).*",
                "unexpected control character (code $1)"),
            new Known(
                "Illegal unquoted character \\(\\(CTRL-CHAR, code (\\d+)\\).*",
                "a text holds a control character (code $1) that is not escaped"),
            new Known("Unrecognized character escape '(.+?)' \\(code.*", "unknown escape (\\\\$1)"),
            new Known("Unrecognized character escape .*", "unknown escape"),
            new Known("Unrecognized token '(.*?)'.*", "unknown word ($1)"),
            new Known("Non-standard token '(.*?)'.*", "($1) is no number of JSON"),
            new Known(
                "Duplicate (?:field|Object property) ['\"](.*)['\"].*",
                "the key ($1) stands there twice"),
            new Known("Unexpected close marker '(.)'.*", "unexpected bracket ($1)"),
            new Known("Unexpected end-of-input.*|No content to map.*", "it ends too early"),
            new Known("Trailing token.*", "there is more behind its end"),
            new Known("Invalid UTF-?(?:8|32).*", "bytes that are no UTF-8"),
            new Known("(?:Invalid numeric|Malformed numeric|Leading zero).*", "no number of JSON"),
            new Known("Numeric value .* out of range.*", "a number is out of range"));

    private JsonFault() {}

    private record Known(Pattern library, String own) {
      Known(String library, String own) {
        this(Pattern.compile(library, Pattern.DOTALL), own);
      }
    }

    /** What is wrong, and at which line and column, both from 1, where that is known. */
    static String words(JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      return at == null || at.getLineNr() < 1
          ? what(e)
          : "%s, at %d:%d".formatted(what(e), at.getLineNr(), at.getColumnNr());
    }

    private static String what(JsonProcessingException e) {
      if (e instanceof JsonEOFException) {
        return "it ends too early";
      }
      if (e instanceof StreamConstraintsException) {
        return "it is nested too deeply, or a text or number in it is too long";
      }
      if (e instanceof InputCoercionException) {
        return "a number is out of range";
      }
      if (e instanceof InvalidNullException missing) {
        return missing.getPropertyName().getSimpleName();
      }
      String said = String.valueOf(e.getOriginalMessage());
      for (Known known : KNOWN) {
        Matcher matcher = known.library().matcher(said);
        if (matcher.matches()) {
          return matcher.replaceFirst(known.own());
        }
      }
      return e instanceof JsonMappingException mapping ? whatOfValue(mapping) : "it is no JSON";
    }

    private static String whatOfValue(JsonMappingException e) {
      if (e instanceof UnrecognizedPropertyException unknown) {
        return "the key (" + unknown.getPropertyName() + ") is unknown";
      }
      if (e.getCause() instanceof JsonProcessingException inner) {
        return what(inner);
      }
      if (e instanceof ValueInstantiationException && e.getCause() != null) {
        return String.valueOf(e.getCause().getMessage()); // a record's own words
      }
      String path =
          e.getPath().stream()
              .map(JsonMappingException.Reference::getFieldName)
              .filter(Objects::nonNull)
              .collect(Collectors.joining("."));
      String what = path.isEmpty() ? "the value" : path;
      return e instanceof InvalidFormatException wrong
          ? what + " cannot be (" + Written.of(String.valueOf(wrong.getValue())) + ")"
          : what + " has another type";
    }
  }
}
