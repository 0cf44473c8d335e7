from warmcb.cli import main

if __name__ == "__main__":  # the workers of a study import this file again
    main()
